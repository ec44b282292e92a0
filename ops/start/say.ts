/** What the start itself has to tell: plain sentences on stdout, between the services' log lines. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const QUIET_MS = 2_000;

/** Waits for the work; when it takes longer than two seconds, says what is being waited for. */
export async function narrate<T>(doing: string, work: Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const timer = setInterval(() => {
    say(`${doing} (${Math.round((performance.now() - startedMs) / 1000)} s so far)`);
  }, QUIET_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** A reader that went away (`npm start | head`, a closed terminal) must not stop payments. */
export function surviveClosedOutput(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}
