const PARENT_POLL_MS = 250;

/**
 * Settles with the reason when somebody wants us to stop: Ctrl-C, SIGTERM, a closed terminal, or the
 * death of npm, which started us and would have passed the signal on. Later signals change nothing:
 * an impatient second Ctrl-C must not leave half of the processes behind.
 */
export function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve('Ctrl-C'));
    process.on('SIGTERM', () => resolve('SIGTERM'));
    process.on('SIGHUP', () => resolve('the terminal was closed'));
    // Only npm's own child watches: a start that a shell put into the background outlives that shell.
    if (process.env['npm_lifecycle_event'] === undefined) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve('the process that started this one is gone');
    }, PARENT_POLL_MS).unref();
  });
}
