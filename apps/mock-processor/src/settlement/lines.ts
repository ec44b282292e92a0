import type { Charge, State, Transaction } from '../state.js';

/** One line of a report, before it is printed. Amounts are minor units. */
export type Line = {
  transactionId: string;
  createdMs: number;
  availableMs: number;
  currency: string;
  gross: number;
  fee: number;
  category: string;
  sourceId: string;
  chargeId: string;
  intentId: string;
  /** Empty until the day is over. */
  payoutId: string;
  account: string;
  intent: string;
  /** Nothing else is booked about the payment, or for a refund about the refund. */
  isAlone: boolean;
};

/** What was booked on a day until now, in the order of the book. Later entries do not show. */
export function linesOfDay(state: State, date: string): Iterable<Line> {
  const ids = state.settlement.transactionsOf(date);
  const count = ids.length;
  return {
    *[Symbol.iterator]() {
      for (let at = 0; at < count; at += 1) yield lineOf(state, ids[at] ?? '');
    },
  };
}

function lineOf(state: State, transactionId: string): Line {
  const transaction = state.find('balance_transaction', transactionId);
  const charge = transaction && chargeBehind(state, transaction);
  if (!transaction || !charge) throw new Error(`${transactionId} belongs to no charge`);
  return {
    transactionId,
    createdMs: transaction.createdMs,
    availableMs: transaction.createdMs,
    currency: transaction.currency,
    gross: transaction.amount,
    fee: transaction.fee,
    category: transaction.type,
    sourceId: transaction.sourceId,
    chargeId: charge.id,
    intentId: charge.intentId,
    payoutId: '',
    account: charge.metadata['payonce_account'] ?? '',
    intent: charge.metadata['payonce_intent'] ?? '',
    isAlone: isAlone(state, transaction, charge),
  };
}

function isAlone(state: State, { type, sourceId }: Transaction, charge: Charge): boolean {
  if (type === 'charge') return !state.settlement.stirred.has(charge.id);
  const refund = type === 'refund' ? state.find('refund', sourceId) : null;
  return refund !== null && refund.status !== 'failed' && refund.due?.status !== 'failed';
}

function chargeBehind(state: State, { sourceId }: Transaction): Charge | null {
  const source = state.things.get(sourceId)?.thing;
  if (source?.object === 'charge') return source;
  const hasCharge = source?.object === 'refund' || source?.object === 'dispute';
  return hasCharge ? state.find('charge', source.chargeId) : null;
}
