import type { DisputeFound, PaymentFound, RefundFound } from './processor.js';
import { idIn, isObject, members, PAYMENT_ID, WORD, wordOrNull } from './reading.js';
import { referenceIn } from './reference.js';

/** What stands under an id, of whomever it is. A text instead says why it cannot be read. */
export function readPaymentFound(body: Record<string, unknown>, id: string): PaymentFound | string {
  const money = readMoney(body, 'payment_intent', id);
  if (typeof money === 'string') return money;
  const { status, amount_received: received } = body;
  if (typeof status !== 'string' || !WORD.test(status)) return 'its status is none';
  if (!isCount(received)) return 'its amount received is no whole number';
  return { ...money, ...referenceIn(body['metadata']), status, amountReceived: received };
}

export function readRefundFound(body: Record<string, unknown>, id: string): RefundFound | string {
  const money = readMoney(body, 'refund', id);
  if (typeof money === 'string') return money;
  const status = REFUND_STATUSES.get(body['status']);
  if (status === undefined) return 'its status is none';
  const paymentId = readPaymentId(body['payment_intent']);
  if (paymentId === undefined) return 'its payment is none';
  const failureReason = wordOrNull(body['failure_reason']);
  return { ...money, ...referenceIn(body['metadata']), status, paymentId, failureReason };
}

/** Whose it is stands in its payment's metadata: a dispute comes from the bank, and carries none of ours. */
export function readDisputeFound(body: Record<string, unknown>, id: string): DisputeFound | string {
  const money = readMoney(body, 'dispute', id);
  if (typeof money === 'string') return money;
  const status = DISPUTE_STATUSES.get(body['status']);
  if (status === undefined) return 'its status is none';
  const { payment_intent: payment, created } = body;
  const paymentId = readPaymentId(payment);
  if (paymentId === undefined || (paymentId !== null && !isObject(payment))) {
    return 'its payment is none';
  }
  if (!isCount(created)) return 'its time is none';
  const openedAt = new Date(created * 1000);
  if (Number.isNaN(openedAt.getTime())) return 'its time is none';
  const reference = referenceIn(members(payment)['metadata']);
  return { ...money, ...reference, status, paymentId, openedAt };
}

const REFUND_STATUSES: ReadonlyMap<unknown, RefundFound['status']> = new Map([
  ['pending', 'pending'],
  ['requires_action', 'pending'],
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

/** A status that is not listed is not guessed at: it may move money or not. */
const DISPUTE_STATUSES: ReadonlyMap<unknown, DisputeFound['status']> = new Map([
  ['needs_response', 'open'],
  ['under_review', 'open'],
  ['appeal_needs_response', 'open'],
  ['appeal_under_review', 'open'],
  ['won', 'won'],
  ['lost', 'lost'],
  ['warning_needs_response', 'inquiry'],
  ['warning_under_review', 'inquiry'],
  ['warning_closed', 'inquiry'],
]);

type Money = { processorId: string; amount: number; currency: string };

function readMoney(body: Record<string, unknown>, object: string, id: string): Money | string {
  const { amount, currency } = body;
  if (body['object'] !== object) return `it is no ${object}`;
  if (body['id'] !== id) return 'it is another one';
  if (!isCount(amount)) return 'its amount is no whole number';
  if (typeof currency !== 'string' || !CURRENCY.test(currency)) return 'its currency is none';
  return { processorId: id, amount, currency };
}

/** Null where there is none; undefined for what is no id. */
function readPaymentId(value: unknown): string | null | undefined {
  if (value === null || value === undefined) return null;
  const id = idIn(value);
  return typeof id === 'string' && PAYMENT_ID.test(id) ? id : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

const CURRENCY = /^[a-z]{3}$/;
