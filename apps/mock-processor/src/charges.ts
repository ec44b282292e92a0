import type { Outcome } from './operation.js';
import { AUTHENTICATION_REQUIRED, behaviourOf } from './payment-methods.js';
import type { ErrorBody } from './errors.js';
import type { Charge, Intent } from './state.js';
import type { Draft } from './world.js';

/** Confirms an intent with a payment method whose name says how that ends. */
export function chargeIntent(
  draft: Draft,
  intent: Intent,
  paymentMethod: string,
  errorOnRequiresAction: boolean,
): Outcome {
  const { decline, requiresAction } = behaviourOf(paymentMethod);
  if (decline) return declineIntent(draft, intent, paymentMethod, decline);
  if (requiresAction && errorOnRequiresAction) {
    return declineIntent(draft, intent, paymentMethod, AUTHENTICATION_REQUIRED);
  }
  if (requiresAction) {
    draft.put<Intent>({ ...intent, status: 'requires_action', paymentMethod });
    draft.event('payment_intent.requires_action', intent.id);
    return { status: 200, objectId: intent.id };
  }
  const charge = newCharge(draft, intent, paymentMethod);
  if (intent.captureMethod === 'manual') authorize(draft, intent, charge);
  else settle(draft, intent, charge);
  return { status: 200, objectId: intent.id };
}

/** Takes an authorized amount, or part of it; the rest is given back to the cardholder. */
export function captureCharge(draft: Draft, intent: Intent, charge: Charge, amount: number): void {
  const captured = book(draft, intent, charge, amount);
  draft.put<Intent>({
    ...intent,
    status: 'succeeded',
    amountReceived: amount,
    amountCapturable: 0,
  });
  draft.move({
    ...movement(intent),
    operation: 'capture',
    id: charge.id,
    parent: intent.id,
    amount,
  });
  moveFee(draft, intent, captured);
  draft.event('charge.captured', charge.id);
  draft.event('payment_intent.succeeded', intent.id);
}

/** A success that comes late, whatever the intent has been told to be since. */
export function succeedLate(draft: Draft, intent: Intent): void {
  const charge = newCharge(draft, intent, intent.paymentMethod ?? 'pm_card_visa');
  settle(draft, { ...intent, canceledMs: null, cancellationReason: null }, charge);
}

function settle(draft: Draft, intent: Intent, charge: Charge): void {
  const { amount } = intent;
  const captured = book(draft, intent, charge, amount);
  draft.put<Intent>({
    ...intent,
    status: 'succeeded',
    paymentMethod: charge.paymentMethod,
    chargeId: charge.id,
    amountReceived: amount,
    lastError: null,
  });
  draft.move({ ...movement(intent), operation: 'charge' });
  moveFee(draft, intent, captured);
  draft.event('charge.succeeded', charge.id);
  draft.event('payment_intent.succeeded', intent.id);
}

function authorize(draft: Draft, intent: Intent, charge: Charge): void {
  draft.put(charge);
  draft.put<Intent>({
    ...intent,
    status: 'requires_capture',
    paymentMethod: charge.paymentMethod,
    chargeId: charge.id,
    amountCapturable: intent.amount,
    lastError: null,
  });
  draft.move({ ...movement(intent), operation: 'authorize', status: 'requires_capture' });
  draft.event('charge.succeeded', charge.id);
  draft.event('payment_intent.amount_capturable_updated', intent.id);
}

function declineIntent(
  draft: Draft,
  intent: Intent,
  paymentMethod: string,
  decline: ErrorBody,
): Outcome {
  const charge = draft.put<Charge>({
    ...newCharge(draft, intent, paymentMethod),
    status: 'failed',
    failure: decline,
  });
  draft.put<Intent>({
    ...intent,
    status: 'requires_payment_method',
    paymentMethod,
    chargeId: charge.id,
    lastError: decline,
  });
  draft.event('charge.failed', charge.id);
  draft.event('payment_intent.payment_failed', intent.id);
  return { status: 402, error: { ...decline, charge: charge.id }, objectId: intent.id };
}

function newCharge(draft: Draft, intent: Intent, paymentMethod: string): Charge {
  return {
    object: 'charge',
    id: draft.id('ch'),
    createdMs: draft.at,
    intentId: intent.id,
    amount: intent.amount,
    amountCaptured: 0,
    amountRefunded: 0,
    currency: intent.currency,
    captured: false,
    status: 'succeeded',
    paymentMethod,
    description: intent.description,
    metadata: intent.metadata,
    transactionId: null,
    failure: null,
  };
}

/** Writes the captured charge and its balance transaction. */
function book(draft: Draft, intent: Intent, charge: Charge, amount: number) {
  const transaction = draft.put({
    object: 'balance_transaction',
    id: draft.id('txn'),
    createdMs: draft.at,
    type: 'charge',
    amount,
    fee: draft.fee('charge', intent.currency, amount),
    currency: intent.currency,
    sourceId: charge.id,
  });
  draft.put<Charge>({
    ...charge,
    captured: true,
    amountCaptured: amount,
    transactionId: transaction.id,
  });
  return transaction;
}

function moveFee(draft: Draft, intent: Intent, transaction: { id: string; fee: number }): void {
  if (transaction.fee === 0) return;
  draft.move({
    ...movement(intent),
    operation: 'fee',
    id: transaction.id,
    parent: intent.id,
    amount: transaction.fee,
  });
}

function movement(intent: Intent) {
  const { id, amount, currency, metadata } = intent;
  return { id, parent: null, amount, currency, status: 'succeeded', metadata };
}
