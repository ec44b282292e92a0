import type { Random } from '#seams/random.js';

/** Recovery waits 1 s, doubling to 30 s, each with full jitter; what lies in review is looked at hourly. */
export const FIRST_WAIT_MS = 1_000;
export const LONGEST_WAIT_MS = 30_000;
const REVIEW_WAIT_MS = 3_600_000;

/** Milliseconds until the next try: random between nothing and the doubled cap, and no less than the processor asked for. */
export function waitMs(
  waits: number,
  random: Random,
  { review, atLeastSeconds }: { review: boolean; atLeastSeconds: number | null },
): number {
  if (review) return REVIEW_WAIT_MS;
  const cap = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(waits, 10));
  const asked = Math.min((atLeastSeconds ?? 0) * 1_000, LONGEST_WAIT_MS);
  return Math.round(Math.max(asked, random.unit() * cap));
}

/** Queued work that could not be sent: 1 s, doubling to 15 minutes, until its key's end. */
const LONGEST_QUEUE_WAIT_MS = 900_000;

export function queueWaitMs(waits: number, random: Random, atLeastSeconds: number | null): number {
  const cap = Math.min(LONGEST_QUEUE_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(waits, 20));
  const asked = Math.min((atLeastSeconds ?? 0) * 1_000, LONGEST_QUEUE_WAIT_MS);
  return Math.round(Math.max(asked, random.unit() * cap));
}

/** Events that wait for somebody else: 1 s, doubling to an hour, between half of that and the whole. */
const LONGEST_EVENT_WAIT_MS = 3_600_000;

export function eventWaitMs(waits: number, random: Random): number {
  const cap = Math.min(LONGEST_EVENT_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(waits, 20));
  return Math.round(cap * (0.5 + random.unit() / 2));
}
