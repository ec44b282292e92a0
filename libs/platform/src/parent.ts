/** Nobody is left who could end a shutdown that hangs. */
const STOP_WITHIN_MS = 15_000;
let watching = false;

/**
 * Ends this process in the ordinary way when the one that started it is gone, however that one died.
 * The supervisor keeps the other end of our standard input open for as long as it lives and sets
 * `PAYONCE_PARENT_PIPE=1`; without that variable standard input means nothing and is left alone.
 */
export function stopWhenParentDies(): void {
  if (watching || process.env['PAYONCE_PARENT_PIPE'] !== '1') return;
  watching = true;
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    // What would still be logged has no reader, and that must not end the shutdown half-way.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  };
  process.stdin.once('end', stop).once('close', stop).once('error', stop);
  process.stdin.resume();
  process.stdin.unref();
}
