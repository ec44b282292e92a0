/**
 * Ends this process in the ordinary way when the one that started it is gone, however that one died.
 * The supervisor keeps the other end of our standard input open for as long as it lives and sets
 * `PAYONCE_PARENT_PIPE=1`; without that variable standard input means nothing and is left alone.
 */
export function stopWhenParentDies(): void {
  if (process.env['PAYONCE_PARENT_PIPE'] !== '1') return;
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    process.kill(process.pid, 'SIGTERM');
    // Nobody is left who could end a shutdown that hangs.
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  };
  process.stdin.once('end', stop).once('close', stop).once('error', stop);
  process.stdin.resume();
  process.stdin.unref();
}

const STOP_WITHIN_MS = 15_000;
