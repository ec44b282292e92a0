import type { Unknown } from '#processor/processor.js';
import type { Deps } from './deps.js';
import { endRun } from './end-run.js';
import type { Lease } from './lease.js';
import { type Reply, unsettledReply } from './reply.js';
import { LEAVE_UNKNOWN } from './unresolved.sql.js';
import { waitMs } from './waits.js';

/** May use the database, and cannot call the processor. */
export type LeaveDeps = Pick<Deps, 'db' | 'random' | 'terms' | 'log'>;

/**
 * Leaves an operation whose outcome nobody knows to recovery, and answers 202.
 * If even that cannot be written, the lease ends by itself and the sweep finds the open attempt.
 *
 * @keeps P2
 */
export async function leaveUnknown(
  deps: LeaveDeps,
  lease: Lease,
  outcome: Unknown,
): Promise<Reply> {
  const { id } = lease.payment;
  const counts = outcome.counts && !lease.byReader;
  const tries = lease.tries + (counts ? 1 : 0);
  const review = lease.inReview || outcome.review === true || tries >= deps.terms.recoveryTriesMax;
  try {
    await endRun(deps.db, lease, LEAVE_UNKNOWN, [
      lease.accountId,
      lease.keyHash,
      lease.token,
      lease.attemptNo,
      outcome.detail.slice(0, 500),
      outcome.storedError,
      counts ? 1 : 0,
      waitMs(lease.waits, deps.random, { review, atLeastSeconds: outcome.retryAfterSeconds }),
      review,
      lease.byReader,
      lease.operationId,
    ]);
    if (review && !lease.inReview) {
      deps.log.critical('payment_needs_review', {
        payment_id: id,
        operation: lease.operation.kind,
        operation_id: lease.operationId,
        tries,
        detail: outcome.detail,
      });
    }
  } catch (error) {
    deps.log.warning('unknown_not_written', { payment_id: id, error: String(error) });
  }
  return unsettledReply(lease, 'unknown');
}
