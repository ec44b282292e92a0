import { setTimeout as pause } from 'node:timers/promises';

const WITHIN_MS = 120_000;
const POLL_MS = 100;

/** Waits until it holds. Throws when that takes too long, and as soon as nobody wants it any more. */
export async function until(
  what: string,
  stopping: AbortSignal,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadlineMs = performance.now() + WITHIN_MS;
  while (!(await holds())) {
    stopping.throwIfAborted();
    if (performance.now() > deadlineMs) throw new Error(`Waited in vain for ${what}`);
    await pause(POLL_MS);
  }
}
