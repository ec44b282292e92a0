import type { ChargeRequest } from './processor.js';

/**
 * Reads a PaymentIntent as what it is, somebody else's text. It is ours only if reference, account,
 * amount and currency are exactly what the charge asked for; a readable one that tells of anything
 * else is foreign; the rest is unreadable. Nothing is converted on the way: an amount in a text is none.
 */
export function readPaymentIntent(value: unknown, request: ChargeRequest): IntentReading {
  const { object, id, status, amount, currency, metadata } = members(value);
  if (object !== 'payment_intent') return unreadable('it is no payment_intent');
  if (typeof id !== 'string' || !PROCESSOR_ID.test(id)) return unreadable('its id is none');
  if (typeof status !== 'string' || !WORD.test(status)) return unreadable('its status is none');
  if (!Number.isSafeInteger(amount)) return unreadable('its amount is no whole number');
  if (typeof currency !== 'string') return unreadable('its currency is none');

  const { payonce_intent, payonce_account } = members(metadata);
  if (payonce_intent !== request.processorKey) return foreign(id, 'another reference');
  if (payonce_account !== request.accountId) return foreign(id, 'another account');
  if (currency !== request.currency) return foreign(id, 'another currency');
  if (amount !== request.amount) return foreign(id, 'another amount');

  const received = members(value)['amount_received'];
  if (status === 'succeeded' && received !== undefined && received !== amount) {
    return foreign(id, 'another amount received');
  }
  const intent = { id, status, cardError: cardErrorOf(value), fee: feeOf(value, currency) };
  return { kind: 'ours', intent };
}

export type PaymentIntent = {
  id: string;
  status: string;
  /** Why the last attempt to pay it failed, if a card error was the reason. */
  cardError: ProcessorError | null;
  fee: { amount: number; currency: string } | null;
};

export type IntentReading =
  | { kind: 'ours'; intent: PaymentIntent }
  | { kind: 'foreign'; detail: string }
  | { kind: 'unreadable'; detail: string };

export type ProcessorError = {
  type: string;
  code: string | null;
  declineCode: string | null;
  message: string;
};

/** Reads an `error` or `last_payment_error`. Null for anything that is not an object with a type. */
export function readProcessorError(value: unknown): ProcessorError | null {
  const { type, code, decline_code, message } = members(value);
  if (typeof type !== 'string') return null;
  return {
    type,
    code: wordOrNull(code),
    declineCode: wordOrNull(decline_code),
    message: typeof message === 'string' ? presentable(message) : '',
  };
}

/** The members of an object; none for anything else. */
export function members(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

function cardErrorOf(intent: unknown): ProcessorError | null {
  const error = readProcessorError(members(intent)['last_payment_error']);
  return error?.type === 'card_error' ? error : null;
}

/** A fee that is missing, odd or in another currency never hides a charge: then there is none to tell. */
function feeOf(intent: unknown, chargedCurrency: string): PaymentIntent['fee'] {
  const transaction = members(members(intent)['latest_charge'])['balance_transaction'];
  const { fee, currency } = members(transaction);
  if (!Number.isSafeInteger(fee) || Number(fee) < 0 || currency !== chargedCurrency) return null;
  return { amount: Number(fee), currency: chargedCurrency };
}

function foreign(id: string, what: string): IntentReading {
  return { kind: 'foreign', detail: `${id} tells of ${what}` };
}

function unreadable(why: string): IntentReading {
  return { kind: 'unreadable', detail: why };
}

function wordOrNull(value: unknown): string | null {
  return typeof value === 'string' && WORD.test(value) ? value : null;
}

/** For the caller's eyes: of bounded length, and with whatever may be a card number masked. */
function presentable(message: string): string {
  return message
    .slice(0, MESSAGE_LENGTH_MAX)
    .replace(/\d(?:[ -]?\d){11,}/g, '****')
    .replace(/\b[sr]k_\w+/g, '****');
}

const MESSAGE_LENGTH_MAX = 500;
const PROCESSOR_ID = /^pi_\w{1,250}$/;
const WORD = /^[a-z][a-z0-9_]{0,99}$/;
