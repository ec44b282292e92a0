/**
 * The process's own clocks, as parameters. Business time (leases, expiry, days) is never read here:
 * it is the database's clock alone (`payonce_now()`), so that two machines cannot disagree about it.
 */
export interface Clock {
  /** Milliseconds that only grow; for deadlines and for ageing a database instant. */
  monotonicMs(): number;
  /** Wall clock in milliseconds since 1970, for log lines and signatures only. */
  wallMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
};
