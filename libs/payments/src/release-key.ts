import type { NotSent } from '#processor/processor.js';
import type { Deps } from './deps.js';
import type { Lease } from './lease.js';
import { type Reply, pendingReply, problemReply } from './reply.js';
import { RELEASE } from './unresolved.sql.js';

/** May use the database, and cannot call the processor. */
export type ReleaseDeps = Pick<Deps, 'db' | 'log'>;

/**
 * Gives a key back to its caller, who alone may send it: proved not sent, so nothing is saved and the
 * same request with the same key runs again. If the release is not confirmed, or somebody else holds the
 * lease, nobody can promise that: 202.
 *
 * @keeps P7
 */
export async function releaseKey(
  { db, log }: ReleaseDeps,
  lease: Lease,
  outcome: NotSent,
): Promise<Reply> {
  const { accountId, keyHash, token, attemptNo, payment } = lease;
  try {
    const [released] = await db.run(RELEASE, [
      accountId,
      keyHash,
      token,
      attemptNo,
      outcome.reason,
    ]);
    if (!released) return pendingReply(payment, 'unknown');
  } catch (error) {
    log.warning('release_unconfirmed', { payment_id: payment.id, error: String(error) });
    return pendingReply(payment, 'unknown');
  }
  const { retryAfterSeconds } = outcome;
  const problem = { code: 'processor_unavailable' as const, extra: { payment_id: payment.id } };
  return problemReply(
    retryAfterSeconds === null ? problem : { ...problem, retryAfterSeconds },
    lease.requestId,
  );
}
