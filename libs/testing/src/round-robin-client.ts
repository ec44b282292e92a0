import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessSystem, Seen } from './process-system.js';
import type { Replicas } from './replicas.js';

export type Intent = { key: string; body: object; headers: Record<string, string> };

/** What a client may hear as the end of an intent; everything else asks it to come again. */
const FINAL = [201, 402];
const TRIES_MAX = 400;
const LOST_PAUSE_MS = 50;
const PAUSE_MAX_MS = 1_000;

/**
 * A client as it should be: each try goes to the next replica under the same key, after the pause that the last
 * answer asked for, until the answer is final. Returns everything that it heard; throws after its last try.
 */
export async function payUntilFinal(
  system: ProcessSystem,
  replicas: Replicas,
  { key, body, headers }: Intent,
): Promise<Seen[]> {
  const heard: Seen[] = [];
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const seen = await system.pay(replicas.nextApi(), key, body, { headers });
    heard.push(seen);
    if (seen.whole && FINAL.includes(seen.status ?? 0)) return heard;
    await pause(pauseAfter(seen));
  }
  const last = heard.at(-1);
  throw new Error(`${key} is not final after ${TRIES_MAX} tries: ${last?.status} ${last?.text}`);
}

function pauseAfter({ status, headers }: Seen): number {
  if (status === null) return LOST_PAUSE_MS;
  const seconds = Number(headers['retry-after'] ?? 0.5);
  return Math.min(seconds * 1_000, PAUSE_MAX_MS);
}
