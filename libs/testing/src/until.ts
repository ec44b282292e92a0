import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;

/** Polls until the condition holds; throws when it does not within the bound. */
export async function until(condition: () => Promise<boolean>, withinMs = 30_000): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadlineMs)
      throw new Error(`Not within ${withinMs} ms: ${condition.toString()}`);
    await pause(POLL_MS);
  }
}
