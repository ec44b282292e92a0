import { failpoint, failpointsArmed } from '#seams/failpoints.js';
import { DatabaseUnavailable, StatementUnconfirmed } from '#postgres/errors.js';
import { replayOf } from './claim-intent.js';
import { FIND_KEY } from './claim.sql.js';
import type { Deps } from './deps.js';
import { type Lease, databaseNowMs } from './lease.js';
import { FIND_RECORDED, RECORD } from './record.sql.js';
import { type Reply, pendingReply } from './reply.js';
import { type FinalOutcome, type Settlement, settle } from './settlement.js';

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
  const settlement = settle(lease.payment, outcome, settledAt, lease.claimRequestId);
  try {
    await failpoint('c7');
    const sent = failpointsArmed ? () => failpoint('c12') : undefined;
    const [moved] = await deps.db.run(RECORD, recordValues(lease, outcome, settlement), sent);
    const reply = moved ? settlement.reply : await alreadyMoved(deps, lease, settlement);
    await failpoint('c13');
    return reply;
  } catch (error) {
    return afterFailure(deps, lease, settlement, error);
  }
}

/** Somebody else recorded, or holds the lease now. Their bytes are the answer; a different outcome is an alarm. */
async function alreadyMoved(
  deps: RecordDeps,
  lease: Lease,
  settlement: Settlement,
): Promise<Reply> {
  const [key] = await deps.db.run(FIND_KEY, [lease.accountId, lease.keyHash]);
  if (key?.state !== 'finished') return pendingReply(lease.payment, 'running');
  const [recorded] = await deps.db.run(FIND_RECORDED, [lease.accountId, lease.payment.id]);
  const { payment } = settlement;
  const same =
    recorded?.status === payment.status &&
    recorded.processor_id === payment.processorId &&
    Number(recorded.amount_captured) === payment.amountCaptured;
  if (!same) {
    deps.log.critical('late_outcome_differs', {
      payment_id: payment.id,
      recorded: recorded?.status,
      recorded_processor_id: recorded?.processor_id,
      late: payment.status,
      late_processor_id: payment.processorId,
    });
  }
  return key.answer_body === null ? pendingReply(lease.payment, 'unknown') : replayOf(key);
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
    outcome: settlement.payment.status,
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
  return pendingReply(lease.payment, 'unknown');
}

function recordValues(lease: Lease, outcome: FinalOutcome, settlement: Settlement): unknown[] {
  const { payment, transfers, event, reply } = settlement;
  return [
    lease.accountId,
    lease.keyHash,
    lease.token,
    payment.status,
    payment.processorId,
    payment.amountCaptured,
    payment.failure?.code ?? null,
    payment.failure?.message ?? null,
    payment.failure?.declineCode ?? null,
    payment.settledAt,
    outcome.kind,
    payment.failure?.message.slice(0, 500) ?? null,
    lease.attemptNo,
    transfers.map(({ kind }) => kind),
    transfers.map(({ debit }) => debit),
    transfers.map(({ credit }) => credit),
    transfers.map(({ amount }) => amount),
    event.type,
    event.payload,
    reply.status,
    reply.contentType,
    reply.location,
    reply.body,
    payment.id,
    lease.operationId,
  ];
}
