import type { Problem } from '#problems/problems.js';
import type { NotSent } from '#processor/processor.js';
import type { Deps } from './deps.js';
import type { Lease } from './lease.js';
import { type Reply, problemReply, unsettledReply } from './reply.js';
import { RELEASE } from './unresolved.sql.js';
import { queueWaitMs } from './waits.js';

/** May use the database, and cannot call the processor. */
export type ReleaseDeps = Pick<Deps, 'db' | 'log' | 'random'>;

/**
 * Gives a key back to its caller, who alone may send it: proved not sent, so nothing is saved and the
 * same request with the same key runs again. If the release is not confirmed, or somebody else holds the
 * lease, nobody can promise that: 202.
 *
 * @keeps P7
 */
export async function releaseKey(
  { db, log, random }: ReleaseDeps,
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
      lease.queued,
      queueWaitMs(lease.waits, random, outcome.retryAfterSeconds),
      lease.operationId,
      lease.operation.kind,
    ]);
    if (!released) return unsettledReply(lease, 'unknown');
    if (lease.queued) return unsettledReply(lease, 'queued');
  } catch (error) {
    log.warning('release_unconfirmed', { payment_id: payment.id, error: String(error) });
    return unsettledReply(lease, 'unknown');
  }
  return problemReply(problemOf(outcome, lease), lease.requestId);
}

function problemOf({ reason, retryAfterSeconds }: NotSent, { payment, refund }: Lease): Problem {
  const extra = { payment_id: payment.id, ...(refund === null ? {} : { refund_id: refund.id }) };
  if (reason === 'deadline') {
    return { code: 'overloaded', detail: 'The time for it ended before anything was sent.', extra };
  }
  const problem: Problem = { code: 'processor_unavailable', extra };
  return retryAfterSeconds === null ? problem : { ...problem, retryAfterSeconds };
}
