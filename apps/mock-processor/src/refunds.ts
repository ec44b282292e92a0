import { invalid, missing, StripeError } from './errors.js';
import { operation, type Outcome } from './operation.js';
import { findIntent } from './payment-intents.js';
import { behaviourOf, stepRefused } from './payment-methods.js';
import type { Charge, Refund, State } from './state.js';
import { Draft, nowMs, type World } from './world.js';

/** How long a pending refund stays pending, and how long a failing one looks like a success. */
export const REFUND_SETTLES_AFTER_MS = 5_000;

const REASONS = ['duplicate', 'fraudulent', 'requested_by_customer'] as const;

export const createRefund = operation({
  path: '/v1/refunds',
  object: 'refund',
  read(params) {
    params.allow(['payment_intent', 'charge', 'amount', 'reason', 'metadata', 'currency']);
    const intentId = params.string('payment_intent');
    const chargeId = params.string('charge');
    if (intentId === null && chargeId === null) {
      throw invalid(
        'One of the following params should be provided for this request: payment_intent or charge.',
        'payment_intent',
        'parameter_missing',
      );
    }
    return {
      intentId,
      chargeId,
      amount: params.integer('amount', { min: 1, max: 99_999_999 }),
      reason: params.choice('reason', REASONS),
      metadata: params.metadata(),
    };
  },
  run(state, draft, input): Outcome {
    const charge = chargeToRefund(state, input.intentId, input.chargeId);
    const amount = refundable(charge, input.amount);
    const behaviour = behaviourOf(charge.paymentMethod);
    if (behaviour.refuses === 'refund') {
      return { status: 402, error: stepRefused('refund'), objectId: charge.intentId };
    }
    const { reason, metadata } = input;
    const status = behaviour.refund === 'pending' ? 'pending' : 'succeeded';
    const due = {
      succeeds: null,
      pending: { atMs: draft.at + REFUND_SETTLES_AFTER_MS, status: 'succeeded' },
      fails_later: { atMs: draft.at + REFUND_SETTLES_AFTER_MS, status: 'failed' },
    } as const;
    return {
      status: 200,
      objectId: bookRefund(draft, charge, {
        amount,
        reason,
        metadata,
        status,
        due: due[behaviour.refund],
      }),
    };
  },
});

/** Lets the refunds whose time has come, by the mock's own clock, succeed or fail. */
export async function settleDueRefunds(world: World): Promise<void> {
  const { state } = world.book;
  for (const id of state.dueRefunds) {
    const refund = state.find('refund', id);
    if (!refund?.due || refund.due.atMs > nowMs(world)) continue;
    const draft = new Draft(world, { requestId: null, idempotencyKey: null });
    if (refund.due.status === 'failed') {
      failRefund(state, draft, refund);
    } else {
      draft.put<Refund>({ ...refund, status: 'succeeded', due: null });
      tellOfChange(draft, id);
    }
    await world.book.commit(draft.entry());
  }
}

function chargeToRefund(state: State, intentId: string | null, chargeId: string | null): Charge {
  const intent = intentId === null ? null : findIntent(state, intentId, 'payment_intent');
  const charge = state.find('charge', chargeId ?? intent?.chargeId ?? '');
  if (chargeId !== null && (!charge || (intent && charge.intentId !== intent.id))) {
    throw missing('charge', chargeId.slice(0, 80), 'charge');
  }
  if (charge?.captured) return charge;
  throw new StripeError(
    400,
    {
      type: 'invalid_request_error',
      code: 'payment_intent_unexpected_state',
      message: 'This PaymentIntent does not have a successful charge to refund.',
    },
    {},
    intent?.id ?? charge?.intentId ?? null,
  );
}

/** The amount, or all that is left. What a dispute has taken cannot be given back a second time. */
function refundable(charge: Charge, asked: number | null): number {
  const unrefunded = charge.amountCaptured - charge.amountRefunded;
  const remaining = Math.max(0, unrefunded - (charge.amountDisputed ?? 0));
  if (unrefunded === 0) {
    const message = `Charge ${charge.id} has already been refunded.`;
    throw invalid(message, undefined, 'charge_already_refunded');
  }
  const amount = asked ?? remaining;
  if (amount > unrefunded) {
    const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${unrefunded})`;
    throw invalid(message, 'amount');
  }
  if (amount === 0 || amount > remaining) {
    throw invalid(`Charge ${charge.id} has been charged back.`, undefined, 'charge_disputed');
  }
  return amount;
}

function bookRefund(
  draft: Draft,
  charge: Charge,
  facts: Pick<Refund, 'amount' | 'reason' | 'metadata' | 'status' | 'due'>,
): string {
  const id = draft.id('re');
  const { currency } = charge;
  const { amount, status, metadata } = facts;
  const transactionId = draft.id('txn');
  const fee = draft.fee('refund', currency, amount);
  draft.put({
    object: 'balance_transaction',
    id: transactionId,
    createdMs: draft.at,
    type: 'refund',
    amount: -amount,
    fee,
    currency,
    sourceId: id,
  });
  draft.put<Charge>({ ...charge, amountRefunded: charge.amountRefunded + amount });
  draft.put<Refund>({
    object: 'refund',
    id,
    createdMs: draft.at,
    intentId: charge.intentId,
    chargeId: charge.id,
    currency,
    transactionId,
    failureTransactionId: null,
    failureReason: null,
    ...facts,
  });
  draft.move({
    operation: 'refund',
    id,
    parent: charge.intentId,
    amount,
    currency,
    status,
    metadata,
  });
  if (fee > 0) {
    const common = { parent: id, currency, status: 'succeeded', metadata };
    draft.move({ ...common, operation: 'fee', id: transactionId, amount: fee });
  }
  draft.event('refund.created', id);
  draft.event('charge.refunded', charge.id);
  return id;
}

/** The money comes back to the balance, and the charge can be refunded again. */
export function failRefund(state: State, draft: Draft, refund: Refund): void {
  const charge = state.find('charge', refund.chargeId);
  if (!charge) throw new Error(`${refund.id} has no charge`);
  const { amount, currency, metadata } = refund;
  const transactionId = draft.id('txn');
  draft.put({
    object: 'balance_transaction',
    id: transactionId,
    createdMs: draft.at,
    type: 'refund_failure',
    amount,
    fee: 0,
    currency,
    sourceId: refund.id,
  });
  draft.put<Charge>({ ...charge, amountRefunded: charge.amountRefunded - amount });
  draft.put<Refund>({
    ...refund,
    status: 'failed',
    due: null,
    failureReason: 'expired_or_canceled_card',
    failureTransactionId: transactionId,
  });
  const status = 'failed';
  draft.move({
    operation: 'refund_failed',
    id: transactionId,
    parent: refund.id,
    amount,
    currency,
    status,
    metadata,
  });
  draft.event('refund.failed', refund.id);
  tellOfChange(draft, refund.id);
}

function tellOfChange(draft: Draft, refundId: string): void {
  draft.event('refund.updated', refundId);
  draft.event('charge.refund.updated', refundId);
}
