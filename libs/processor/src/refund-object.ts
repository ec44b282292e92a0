import type { Reading, Seen } from './classification-row.js';
import type { StepRequest } from './processor.js';
import {
  foreign,
  idIn,
  isObject,
  members,
  REFUND_ID,
  unreadable,
  WORD,
  wordOrNull,
} from './reading.js';

/** Reads a Refund like a payment: ours only if payment, reference, account, amount and currency are what was asked for. */
export function readRefund(value: unknown, request: StepRequest): Reading {
  const { object, id, status, amount, currency, payment_intent, metadata, failure_reason } =
    members(value);
  if (object !== 'refund') return unreadable('it is no refund');
  if (typeof id !== 'string' || !REFUND_ID.test(id)) return unreadable('its id is none');
  if (typeof status !== 'string' || !WORD.test(status)) return unreadable('its status is none');
  if (!Number.isSafeInteger(amount)) return unreadable('its amount is no whole number');
  if (typeof currency !== 'string') return unreadable('its currency is none');

  const { payonce_intent, payonce_account } = members(metadata);
  if (payonce_intent !== request.processorKey) return foreign(id, 'another reference');
  if (payonce_account !== request.accountId) return foreign(id, 'another account');
  if (idIn(payment_intent) !== request.targetId) return foreign(id, 'another payment');
  if (currency !== request.currency) return foreign(id, 'another currency');
  if (amount !== request.amount) return foreign(id, 'another amount');

  const reason = wordOrNull(failure_reason);
  return {
    kind: 'ours',
    found: {
      id,
      status,
      amount,
      whole: true,
      manual: false,
      failure:
        reason === null
          ? null
          : { type: 'refund_failure', code: reason, declineCode: null, message: '' },
      fee: null,
      expiresAt: null,
    },
  };
}

/** One page of a list of refunds, and the id to go on after; null for a page that cannot be read as a whole. */
export function readRefundPage(body: unknown): RefundPage | null {
  const { object, data, has_more } = members(body);
  if (object !== 'list' || !Array.isArray(data) || typeof has_more !== 'boolean') return null;
  const refunds: ListedRefund[] = [];
  for (const value of data) {
    const { object: kind, id, metadata } = members(value);
    if (kind !== 'refund' || typeof id !== 'string' || !REFUND_ID.test(id)) return null;
    if (!isObject(metadata)) return null;
    refunds.push({ id, reference: metadata['payonce_intent'], value });
  }
  const last = refunds.at(-1)?.id ?? null;
  if (has_more && last === null) return null;
  return { refunds, after: has_more ? last : null };
}

export type RefundPage = { refunds: ListedRefund[]; after: string | null };
type ListedRefund = { id: string; reference: unknown; value: unknown };

/** Finds ours among a payment's refunds: by its reference alone, so that one of another amount is found too. */
export function readRefundList(
  earlier: RefundPage[],
  body: unknown,
  request: StepRequest,
): Seen['object'] {
  const last = readRefundPage(body);
  if (last === null) return unreadable('the list of refunds cannot be read');
  if (last.after !== null) return unreadable('the list of refunds is longer than is read');
  const all = [...earlier, last].flatMap(({ refunds }) => refunds);
  const ours = all.filter(({ reference }) => reference === request.processorKey);
  const [first] = ours;
  if (first === undefined) return { kind: 'found_none' };
  if (ours.some(({ id }) => id !== first.id)) return { kind: 'found_several' };
  return readRefund(first.value, request);
}
