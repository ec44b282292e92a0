import type { Deps } from './deps.js';
import type { Lease } from './lease.js';
import { type Abandoned, takeUp } from './take-up.js';

/** An operation that the processor tells something of, as its row was read. */
export type Told = {
  key_hash: Buffer;
  key_state: 'started' | 'released' | 'queued' | 'finished' | 'canceled';
  /** A lease is held now. */
  running: boolean;
  ended: boolean;
};

/** Takes an operation up, so that the processor is asked what became of it. Null: somebody else is at it, or was. */
export async function takeUpForNews(
  deps: Deps,
  accountId: string,
  { key_hash: keyHash, key_state: state, running, ended }: Told,
  requestId: string,
): Promise<Lease | null> {
  if (running || state === 'finished' || state === 'canceled') return null;
  if (state !== 'started' && ended) return null; // about to be closed, by a sweep or its caller
  return takeUpToLook(deps, { accountId, keyHash, state, ended, requestId });
}

/** The same, whatever its row says; the statement takes it up only if that still holds. */
export function takeUpToLook(
  deps: Deps,
  work: Pick<Abandoned, 'accountId' | 'keyHash' | 'state' | 'ended' | 'requestId'>,
): Promise<Lease | null> {
  // Whatever holds the order's slot: money that moved is recorded.
  return takeUp(deps, { ...work, orderOnce: false, actor: 'worker', lookOnly: true });
}
