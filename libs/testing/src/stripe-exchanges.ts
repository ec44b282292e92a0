import type { LookUpVerdict } from '#processor/classification-row.js';
import type { Exchange, Failure } from '#processor/send-once.js';
import { PAYMENT } from './stripe-answers.js';

/** Ends of calls as the transport hands them on, for tests of what they mean. */
export function answered(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Exchange {
  return { kind: 'answered', status, headers, body: Buffer.from(JSON.stringify(body)) };
}

export function failed(failure: Failure): Exchange {
  return { kind: 'failed', failure, detail: 'ESOMETHING' };
}

export const payment = (changes: object) => ({ ...PAYMENT, ...changes });
export const found = (...data: unknown[]) => ({ object: 'search_result', data, has_more: false });
export const error = (type: string, code?: string, more: object = {}) => ({
  error: { type, code, message: 'Words.', ...more },
});
export const declinedCard = error('card_error', 'card_declined', {
  decline_code: 'insufficient_funds',
});
export const lastError = { last_payment_error: declinedCard.error };

/** One end for each of the rows that all calls share and that ask nothing of the object. */
export const SHARED_ENDS: [row: string, exchange: Exchange][] = [
  ['connect-refused', failed('connect_refused')],
  ['connect-failed', failed('connect_failed')],
  ['late-unsent', failed('deadline_before_sending')],
  ['late', failed('deadline_after_sending')],
  ['reset', failed('reset')],
  ['oversized', failed('oversized')],
  ['garbled', failed('garbled')],
  ['stored-error', answered(500, {}, { 'idempotent-replayed': 'true' })],
  ['server-error', answered(503, '')],
  ['refused', answered(401, error('invalid_request_error'))],
  ['in-progress', answered(409, error('idempotency_error', 'idempotency_key_in_use'))],
  ['rate-limited', answered(429, error('invalid_request_error', 'rate_limit'))],
  ['rate-limited-late', answered(429, 'busy')],
  ['key-mismatch', answered(400, error('idempotency_error'))],
  ['unreadable', answered(200, 'text')],
];

/** A verdict or an outcome in a few words, as the tables of the description print it. */
export function inShort(verdict: LookUpVerdict | { kind: 'conflict'; detail: string }): string {
  switch (verdict.kind) {
    case 'declined':
      return verdict.stored ? 'declined, stored' : 'declined';
    case 'unknown': {
      const marks = [verdict.storedError && 'stored', verdict.counts && 'counts'];
      return [verdict.reason, ...marks.filter(Boolean)].join(', ');
    }
    default:
      return verdict.kind.replace('_', ' ');
  }
}
