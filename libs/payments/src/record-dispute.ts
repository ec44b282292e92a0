import { disputeTransfers, disputeWonTransfers } from '#ledger/transfers.js';
import type { Tx } from '#postgres/db.js';
import type { Deps } from './deps.js';
import { type Dispute, type DisputeStatus, renderDispute, stepsTo } from './dispute.js';
import { CLOSE_DISPUTE, OPEN_DISPUTE, READ_DISPUTE, STORE_INQUIRY } from './dispute.sql.js';
import { type LockedPayment, lockPayment } from './lock-payment.js';
import { settleExcess } from './settle-excess.js';

/** A dispute as the processor showed it, and whose payment it is about. */
export type SeenDispute = {
  accountId: string;
  paymentId: string;
  processorName: string;
  processorId: string;
  status: DisputeStatus;
  amount: number;
  currency: string;
  openedAt: Date;
};

export type DisputeVerdict =
  | { kind: 'recorded'; dispute: Dispute; isNew: boolean }
  | { kind: 'known' }
  /** What is recorded and what was seen cannot both be true. */
  | { kind: 'contradicted'; detail: string };

/**
 * Records what is new about a dispute: opened, won or lost, each with its money, in one commit. Whatever is
 * missing in between is recorded on the way, so that news may come in any order, twice, or not at all.
 *
 * A dispute always books, also above what is left: a bank asks nobody. The rest stands in suspense, with a break.
 *
 * @keeps P5: what is known already changes nothing.
 */
export async function recordDispute(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  seen: SeenDispute,
): Promise<DisputeVerdict> {
  const verdict = await db.transaction((tx) => record(tx, seen));
  if (verdict.kind === 'recorded' && verdict.isNew && verdict.dispute.excess > 0) {
    log.critical('dispute_excess', {
      payment_id: seen.paymentId,
      processor_id: seen.processorId,
      amount: seen.amount,
      excess: verdict.dispute.excess,
      currency: seen.currency,
    });
  }
  return verdict;
}

async function record(tx: Tx, seen: SeenDispute): Promise<DisputeVerdict> {
  const locked = await lockPayment(tx, seen.accountId, seen.paymentId);
  if (locked === null) throw new Error('Bug: a dispute of a payment that is not here');
  const known = await readKnown(tx, seen);
  const contradiction = contradictionOf(seen, known, locked);
  if (contradiction !== null) return { kind: 'contradicted', detail: contradiction };
  const steps = stepsTo(known?.status ?? null, seen.status);
  if (steps === null) {
    return { kind: 'contradicted', detail: `it was ${known?.status}, and is ${seen.status}` };
  }
  let dispute = known;
  for (const step of steps) {
    if (step === 'inquiry') dispute = await storeInquiry(tx, seen, locked);
    else if (step === 'open') dispute = await open(tx, seen, locked, dispute?.id ?? locked.newId);
    else dispute = await close(tx, seen, locked, step, dispute);
  }
  if (steps.length === 0 || dispute === null) return { kind: 'known' };
  return { kind: 'recorded', dispute, isNew: steps.includes('open') };
}

async function readKnown(tx: Tx, seen: SeenDispute): Promise<Dispute | null> {
  const { accountId, processorName, processorId } = seen;
  const [row] = await tx.run(READ_DISPUTE, [accountId, processorName, processorId]);
  if (!row) return null;
  return {
    id: row.id,
    paymentId: row.payment_id,
    status: row.status,
    amount: Number(row.amount),
    excess: Number(row.excess),
    currency: row.currency,
    processorName,
    processorId,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
  };
}

function contradictionOf(
  seen: SeenDispute,
  known: Dispute | null,
  { payment }: LockedPayment,
): string | null {
  if (seen.currency !== payment.currency) {
    return `it is in ${seen.currency}, the payment in ${payment.currency}`;
  }
  if (known === null) return null;
  if (known.paymentId !== seen.paymentId) return `it is recorded of payment ${known.paymentId}`;
  if (known.status !== 'inquiry' && known.amount !== seen.amount) {
    return `its amount was ${known.amount}, and is ${seen.amount}`;
  }
  return null;
}

async function storeInquiry(tx: Tx, seen: SeenDispute, { newId }: LockedPayment): Promise<Dispute> {
  const { accountId, paymentId, processorName, processorId, amount, currency, openedAt } = seen;
  const values = [accountId, paymentId, newId, processorName, processorId];
  await tx.run(STORE_INQUIRY, [...values, amount, currency, openedAt]);
  return { ...seen, id: newId, excess: 0, closedAt: null };
}

async function open(
  tx: Tx,
  seen: SeenDispute,
  { payment, amountReserved }: LockedPayment,
  id: string,
): Promise<Dispute> {
  const left = Math.max(0, payment.amountCaptured - amountReserved - payment.amountDisputed);
  const excess = Math.max(0, seen.amount - left);
  const dispute: Dispute = { ...seen, id, status: 'open', excess, closedAt: null };
  const transfers = disputeTransfers(dispute);
  const [recorded] = await tx.run(OPEN_DISPUTE, [
    seen.accountId,
    seen.paymentId,
    id,
    seen.processorName,
    seen.processorId,
    seen.amount,
    excess,
    seen.currency,
    seen.openedAt,
    transfers.map(({ kind }) => kind),
    transfers.map(({ debit }) => debit),
    transfers.map(({ credit }) => credit),
    transfers.map(({ amount }) => amount),
    JSON.stringify(renderDispute(dispute)),
  ]);
  if (!recorded) throw new Error('Bug: a dispute opened twice under its payment’s lock');
  return dispute;
}

async function close(
  tx: Tx,
  seen: SeenDispute,
  { now }: LockedPayment,
  status: 'won' | 'lost',
  dispute: Dispute | null,
): Promise<Dispute> {
  if (dispute === null) throw new Error('Bug: a dispute that ends was never opened');
  const closed: Dispute = { ...dispute, status, closedAt: now };
  const transfers = status === 'won' ? disputeWonTransfers(dispute) : [];
  const [recorded] = await tx.run(CLOSE_DISPUTE, [
    seen.accountId,
    seen.paymentId,
    dispute.id,
    status,
    now,
    transfers.map(({ kind }) => kind),
    transfers.map(({ debit }) => debit),
    transfers.map(({ credit }) => credit),
    transfers.map(({ amount }) => amount),
    JSON.stringify(renderDispute(closed)),
  ]);
  if (!recorded) throw new Error('Bug: a dispute ended twice under its payment’s lock');
  if (status === 'lost') return closed;
  await settleExcess(tx, { ...seen, sourceId: dispute.id });
  return { ...closed, excess: 0 };
}
