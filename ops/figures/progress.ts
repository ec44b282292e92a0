const startedMs = performance.now();

/** What is being done, on stderr: the result alone goes to stdout. */
export function progress(line: string): void {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stderr.write(`${String(seconds).padStart(4)} s  ${line}\n`);
}
