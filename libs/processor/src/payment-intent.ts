import type { Found, Reading } from './classification-row.js';
import type { ChargeRequest, StepRequest } from './processor.js';
import { foreign, members, PAYMENT_ID, unreadable, WORD } from './reading.js';
import { type ProcessorError, readProcessorError } from './processor-error.js';

/**
 * Reads a PaymentIntent as what it is, somebody else's text. It is ours only if reference, account,
 * amount and currency are exactly what the charge asked for; a readable one that tells of anything
 * else is foreign; the rest is unreadable. Nothing is converted on the way: an amount in a text is none.
 */
export function readPaymentIntent(value: unknown, request: ChargeRequest): Reading {
  const intent = parse(value);
  if (typeof intent === 'string') return unreadable(intent);
  const { id, status, amount, received, capturable } = intent;
  const another = strangeness(intent, request, request.processorKey);
  if (another !== null) return foreign(id, another);
  if (amount !== request.amount) return foreign(id, 'another amount');

  const manual = request.capture === 'manual';
  const isPaid = status === 'succeeded';
  if (isPaid && !isReceived(received, amount, manual))
    return foreign(id, 'another amount received');
  if (manual && status === 'requires_capture' && (capturable ?? amount) !== amount) {
    return foreign(id, 'another amount authorized');
  }
  return ours(intent, value, {
    amount: isPaid && manual ? Number(received) : amount,
    manual,
    failure: cardErrorOf(value),
    expiresAt: manual ? expiryOf(value) : null,
  });
}

/** Reads the payment that a capture or a void acts on: it must be that one, and of that charge. */
export function readTarget(
  value: unknown,
  request: StepRequest,
  step: 'capture' | 'void',
): Reading {
  const intent = parse(value);
  if (typeof intent === 'string') return unreadable(intent);
  const { id, amount, received } = intent;
  if (id !== request.targetId) return foreign(id, 'another payment');
  const another = strangeness(intent, request, request.chargeKey);
  if (another !== null) return foreign(id, another);
  if (step === 'void') {
    if (amount !== request.amount) return foreign(id, 'another amount');
    return ours(intent, value, { amount, fee: null });
  }
  const whole = received === request.amount;
  return ours(intent, value, { amount: request.amount, whole });
}

type Parsed = {
  id: string;
  status: string;
  amount: number;
  currency: string;
  received: unknown;
  capturable: unknown;
  metadata: Record<string, unknown>;
};

/** The members that every payment has, or what is wrong with them. */
function parse(value: unknown): Parsed | string {
  const intent = members(value);
  const { object, id, status, amount, currency } = intent;
  if (object !== 'payment_intent') return 'it is no payment_intent';
  if (typeof id !== 'string' || !PAYMENT_ID.test(id)) return 'its id is none';
  if (typeof status !== 'string' || !WORD.test(status)) return 'its status is none';
  if (!Number.isSafeInteger(amount)) return 'its amount is no whole number';
  if (typeof currency !== 'string') return 'its currency is none';
  return {
    id,
    status,
    amount: Number(amount),
    currency,
    received: intent['amount_received'],
    capturable: intent['amount_capturable'],
    metadata: members(intent['metadata']),
  };
}

function strangeness(
  { metadata, currency }: Parsed,
  request: ChargeRequest | StepRequest,
  reference: string,
): string | null {
  const { payonce_intent, payonce_account } = metadata;
  if (payonce_intent !== reference) return 'another reference';
  if (payonce_account !== request.accountId) return 'another account';
  return currency === request.currency ? null : 'another currency';
}

/** All of it; of a manual charge, which a capture may take in part, no more than all of it. */
function isReceived(received: unknown, amount: number, manual: boolean): boolean {
  if (!manual) return received === undefined || received === amount;
  return Number.isSafeInteger(received) && Number(received) >= 1 && Number(received) <= amount;
}

function ours(intent: Parsed, value: unknown, facts: Partial<Found>): Reading {
  const found: Found = {
    id: intent.id,
    status: intent.status,
    amount: intent.amount,
    whole: true,
    manual: false,
    failure: null,
    fee: feeOf(value, intent.currency),
    expiresAt: null,
    ...facts,
  };
  return { kind: 'ours', found };
}

/** In whole seconds; what is absent or odd is no date. */
function expiryOf(intent: unknown): Date | null {
  const details = members(members(members(intent)['latest_charge'])['payment_method_details']);
  const seconds = members(details['card'])['capture_before'];
  if (!Number.isSafeInteger(seconds)) return null;
  const isDate = Number(seconds) > 0 && Number(seconds) <= SECONDS_MAX;
  return isDate ? new Date(Number(seconds) * 1000) : null;
}

/** The last second that a date can hold. */
const SECONDS_MAX = 8_640_000_000_000;

/** A fee that is missing, odd or in another currency never hides a charge: then there is none to tell. */
function feeOf(intent: unknown, chargedCurrency: string): Found['fee'] {
  const transaction = members(members(intent)['latest_charge'])['balance_transaction'];
  const { fee, currency } = members(transaction);
  if (!Number.isSafeInteger(fee) || Number(fee) < 0 || currency !== chargedCurrency) return null;
  return { amount: Number(fee), currency: chargedCurrency };
}

function cardErrorOf(intent: unknown): ProcessorError | null {
  const error = readProcessorError(members(intent)['last_payment_error']);
  return error?.type === 'card_error' ? error : null;
}
