import { failpoint, failpointsArmed } from '#seams/failpoints.js';
import type { Tx } from '#postgres/db.js';
import { DatabaseUnavailable, StatementUnconfirmed } from '#postgres/errors.js';
import { replayOf } from './claim-key.js';
import { FIND_KEY } from './claim.sql.js';
import type { Deps } from './deps.js';
import { endRun } from './end-run.js';
import { recordLateSuccess } from './record-late-success.js';
import { settleExcess } from './settle-excess.js';
import { type Lease, databaseNowMs } from './lease.js';
import { recordStatement } from './record-values.js';
import { FIND_RECORDED } from './record.sql.js';
import { type Reply, unsettledReply } from './reply.js';
import { settle } from './settle.js';
import type { FinalOutcome, Settlement } from './settlement.js';

/** May use the database, and cannot call the processor. */
export type RecordDeps = Pick<Deps, 'db' | 'clock' | 'log'>;

/**
 * Records a final outcome, all of it or none, and answers with the committed bytes.
 *
 * A second run finds nothing to move, compares, and answers with what is saved. As long as the commit is
 * not confirmed the answer is 202: 201 is never said from memory. Never throws once money may have moved.
 *
 * @keeps P2: a failed record step leaves the lease to end, and recovery comes back to it.
 */
export async function recordOutcome(
  deps: RecordDeps,
  lease: Lease,
  outcome: FinalOutcome,
): Promise<Reply> {
  const settledAt = new Date(databaseNowMs(lease, deps.clock)); // tidy-allow: the database's instant
  const settlement = settle(lease, outcome, settledAt);
  try {
    await failpoint('c7');
    const sent = failpointsArmed ? () => failpoint('c12') : undefined;
    const { statement, values } = recordStatement(lease, outcome, settlement, settledAt);
    const [moved] = await endRun(deps.db, lease, statement, values, sent, roomOf(settlement));
    const reply = moved ? settlement.reply : await alreadyMoved(deps, lease, outcome, settlement);
    await failpoint('c13');
    return reply;
  } catch (error) {
    return afterFailure(deps, lease, settlement, error);
  }
}

/** What a failed refund gives back to its payment may take a dispute out of suspense, in the same commit. */
function roomOf({ refund }: Settlement): ((tx: Tx) => Promise<unknown>) | undefined {
  if (refund?.status !== 'failed') return undefined;
  const { accountId, paymentId, id: sourceId } = refund;
  return (tx) => settleExcess(tx, { accountId, paymentId, sourceId });
}

/** Somebody else recorded, or holds the lease now. Their bytes are the answer; a different outcome is an alarm. */
async function alreadyMoved(
  deps: RecordDeps,
  lease: Lease,
  outcome: FinalOutcome,
  settlement: Settlement,
): Promise<Reply> {
  const [key] = await deps.db.run(FIND_KEY, [lease.accountId, lease.keyHash]);
  if (key?.state !== 'finished') return unsettledReply(lease, 'running');
  const [recorded] = await deps.db.run(FIND_RECORDED, [lease.accountId, lease.operationId]);
  if (!recorded || !isSame(lease, outcome, settlement, recorded)) {
    await keepLateCharge(deps, lease, outcome);
    deps.log.critical('late_outcome_differs', {
      payment_id: lease.payment.id,
      operation: lease.operation.kind,
      recorded: recorded?.status,
      recorded_processor_id: recorded?.processor_id,
      recorded_outcome: recorded?.outcome,
      late: outcome.kind,
      late_processor_id: 'processorId' in outcome ? outcome.processorId : null,
    });
  }
  return key.answer_body === null ? unsettledReply(lease, 'unknown') : replayOf(key);
}

/** A charge that succeeded while its payment was recorded otherwise is money all the same. */
async function keepLateCharge(
  deps: RecordDeps,
  { accountId, operation, payment, processor }: Lease,
  outcome: FinalOutcome,
): Promise<void> {
  if (operation.kind !== 'charge' || outcome.kind !== 'succeeded') return;
  const { processorId, amount, currency, fee } = outcome;
  const where = { accountId, paymentId: payment.id, processorName: processor.name };
  await recordLateSuccess(deps, { ...where, processorId, amount, currency, fee });
}

type Recorded = {
  status: string;
  processor_id: string | null;
  amount_captured: string;
  outcome: string | null;
};

/**
 * Outcome, processor's id and amount, as far as the operation has them. A payment or a refund moves on after
 * it was recorded, so where it may have done so the operation's own attempts tell.
 */
function isSame(
  { operation }: Lease,
  outcome: FinalOutcome,
  { payment, refund }: Settlement,
  recorded: Recorded,
): boolean {
  if (recorded.outcome !== null && recorded.outcome !== outcome.kind) return false;
  if (refund !== null) return recorded.processor_id === refund.processorId;
  if (operation.kind !== 'charge') return true;
  return (
    recorded.processor_id === payment.processorId &&
    (payment.status === 'authorized' ||
      (recorded.status === payment.status &&
        Number(recorded.amount_captured) === payment.amountCaptured))
  );
}

/** Nobody knows whether the commit took place: look, on a new connection, and conclude nothing from silence. */
async function afterFailure(
  deps: RecordDeps,
  lease: Lease,
  settlement: Settlement,
  error: unknown,
): Promise<Reply> {
  const unconfirmed = error instanceof StatementUnconfirmed || error instanceof DatabaseUnavailable;
  const facts = {
    payment_id: lease.payment.id,
    operation: lease.operation.kind,
    outcome: settlement.event.type,
    error: String(error),
  };
  if (unconfirmed) deps.log.warning('record_unconfirmed', facts);
  else deps.log.critical('record_refused', facts);
  try {
    const [key] = await deps.db.run(FIND_KEY, [lease.accountId, lease.keyHash]);
    // These are the committed bytes of this very run: a first answer, not a replay.
    if (key?.state === 'finished') return { ...replayOf(key), originalRequest: null };
  } catch (readError) {
    deps.log.warning('record_not_readable', {
      payment_id: lease.payment.id,
      error: String(readError),
    });
  }
  return unsettledReply(lease, 'unknown');
}
