import { invalid } from './errors.js';
import type { Charge, Dispute, Intent, State, Transaction } from './state.js';
import type { Draft } from './world.js';

/** The bank takes the money at once; refunds that were made before do not make it less. */
export function openDispute(
  state: State,
  draft: Draft,
  intent: Intent,
  asked: number | null,
): void {
  const charge = disputable(state, intent);
  if (latestOpen(state, intent)) throw refused(`${intent.id} has an open dispute already.`);
  const amount = asked ?? charge.amountCaptured;
  const { currency, metadata } = charge;
  const id = draft.id('du');
  const fee = draft.fee('dispute', currency, amount);
  const transaction = adjustment(draft, id, charge, 'dispute', -amount, fee);
  draft.put<Charge>({ ...charge, amountDisputed: (charge.amountDisputed ?? 0) + amount });
  draft.put<Dispute>({
    object: 'dispute',
    id,
    createdMs: draft.at,
    intentId: intent.id,
    chargeId: charge.id,
    amount,
    currency,
    status: 'needs_response',
    metadata: {},
    transactions: [transaction],
  });
  const common = { currency, metadata };
  const status = 'needs_response';
  draft.move({ ...common, operation: 'dispute', id, parent: intent.id, amount, status });
  if (fee > 0) {
    draft.move({
      ...common,
      operation: 'dispute_fee',
      id: transaction.id,
      parent: id,
      amount: fee,
      status: 'succeeded',
    });
  }
  draft.event('charge.dispute.created', id);
  draft.event('charge.dispute.funds_withdrawn', id);
}

/** Won: the money comes back, without the fee. Lost: it has gone already, so nothing more moves. */
export function closeDispute(
  state: State,
  draft: Draft,
  intent: Intent,
  status: 'won' | 'lost',
): void {
  const dispute = latestOpen(state, intent);
  if (!dispute) throw refused(`${intent.id} has no open dispute.`);
  if (status === 'lost') {
    draft.put<Dispute>({ ...dispute, status });
    draft.event('charge.dispute.closed', dispute.id);
    return;
  }
  const charge = disputable(state, intent);
  const { id, amount, currency } = dispute;
  const transaction = adjustment(draft, id, charge, 'dispute_reversal', amount, 0);
  draft.put<Charge>({ ...charge, amountDisputed: (charge.amountDisputed ?? 0) - amount });
  draft.put<Dispute>({
    ...dispute,
    status,
    transactions: [...dispute.transactions, transaction],
  });
  draft.move({
    operation: 'dispute_won',
    id: transaction.id,
    parent: id,
    amount,
    currency,
    status: 'succeeded',
    metadata: charge.metadata,
  });
  draft.event('charge.dispute.closed', id);
  draft.event('charge.dispute.funds_reinstated', id);
}

function disputable(state: State, intent: Intent): Charge {
  const charge = state.find('charge', intent.chargeId ?? '');
  if (charge?.captured) return charge;
  throw refused(`${intent.id} is ${intent.status} and has no captured charge.`);
}

function latestOpen(state: State, intent: Intent): Dispute | null {
  const disputes = state.order.dispute.map((id) => state.find('dispute', id));
  return (
    disputes.findLast(
      (dispute) => dispute?.intentId === intent.id && dispute.status === 'needs_response',
    ) ?? null
  );
}

function adjustment(
  draft: Draft,
  disputeId: string,
  charge: Charge,
  type: 'dispute' | 'dispute_reversal',
  amount: number,
  fee: number,
): Transaction {
  return draft.put<Transaction>({
    object: 'balance_transaction',
    id: draft.id('txn'),
    createdMs: draft.at,
    type,
    amount,
    fee,
    currency: charge.currency,
    sourceId: disputeId,
  });
}

function refused(message: string) {
  return invalid(message, 'payment_intent');
}
