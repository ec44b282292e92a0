import type { Statement } from '#postgres/statement.js';
import type { Lease } from './lease.js';
import { RECORD_REFUND } from './record-refund.sql.js';
import { RECORD_STEP } from './record-step.sql.js';
import { RECORD } from './record.sql.js';
import type { FinalOutcome, Settlement } from './settlement.js';

const DETAIL_LENGTH_MAX = 500;

/** The record statement of a settlement, with its parameters in its order. */
export function recordStatement(
  lease: Lease,
  outcome: FinalOutcome,
  settlement: Settlement,
  settledAt: Date,
): { statement: Statement<{ payment_id: string }>; values: unknown[] } {
  const held = [lease.accountId, lease.keyHash, lease.token];
  switch (lease.operation.kind) {
    case 'charge':
      return { statement: RECORD, values: [...held, ...charge(lease, outcome, settlement)] };
    case 'capture':
    case 'void':
      return {
        statement: RECORD_STEP,
        values: [...held, ...step(lease, outcome, settlement, settledAt)],
      };
    case 'refund':
      return {
        statement: RECORD_REFUND,
        values: [...held, ...refund(lease, outcome, settlement, settledAt)],
      };
  }
}

function charge(lease: Lease, outcome: FinalOutcome, settlement: Settlement): unknown[] {
  const { payment } = settlement;
  return [
    payment.status,
    payment.processorId,
    payment.amountCaptured,
    payment.failure?.code ?? null,
    payment.failure?.message ?? null,
    payment.failure?.declineCode ?? null,
    payment.settledAt,
    outcome.kind,
    detailOf(outcome),
    lease.attemptNo,
    ...writtenColumns(settlement),
    payment.id,
    lease.operationId,
    settlement.expiresAt,
  ];
}

function step(
  lease: Lease,
  outcome: FinalOutcome,
  settlement: Settlement,
  settledAt: Date,
): unknown[] {
  const { payment } = settlement;
  return [
    settlement.done,
    payment.status,
    payment.amountCaptured,
    settledAt,
    outcome.kind,
    detailOf(outcome),
    lease.attemptNo,
    ...writtenColumns(settlement),
    payment.id,
    lease.operationId,
    settlement.transfers.map(({ sourceId }) => sourceId),
    lease.operation.kind === 'capture' && outcome.kind === 'declined',
  ];
}

function refund(
  lease: Lease,
  outcome: FinalOutcome,
  settlement: Settlement,
  settledAt: Date,
): unknown[] {
  const { refund: moved } = settlement;
  if (moved === null) throw new Error('Bug: a refund without its row');
  return [
    moved.status,
    moved.processorId,
    moved.failure?.code ?? null,
    moved.failure?.message ?? null,
    moved.failure?.declineCode ?? null,
    moved.settledAt,
    outcome.kind,
    detailOf(outcome),
    lease.attemptNo,
    ...writtenColumns(settlement),
    lease.payment.id,
    lease.operationId,
    moved.id,
    settledAt,
  ];
}

/** Ledger, event and answer, in the order of all three statements. */
function writtenColumns({ transfers, event, reply }: Settlement): unknown[] {
  return [
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
  ];
}

/** Why not, for the timeline. */
function detailOf(outcome: FinalOutcome): string | null {
  switch (outcome.kind) {
    case 'declined':
      return outcome.message.slice(0, DETAIL_LENGTH_MAX);
    case 'not_charged':
      return `Nothing was charged: ${outcome.why}.`.slice(0, DETAIL_LENGTH_MAX);
    default:
      return null;
  }
}
