import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * Waits until it holds. Throws when that takes too long, which is two minutes unless it is said, and as soon as nobody wants
 * it any more.
 */
export async function until(
  what: string,
  { withinMs = 120_000, stopping }: { withinMs?: number; stopping?: AbortSignal },
  holds: () => Promise<boolean>,
): Promise<void> {
  const endsMs = performance.now() + withinMs;
  while (!(await holds())) {
    stopping?.throwIfAborted();
    if (performance.now() > endsMs) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await pause(POLL_MS);
  }
}
