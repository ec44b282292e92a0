import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { CHARGE, MANUAL, PAYMENT } from '#testing/stripe-answers.js';
import {
  answered,
  declinedCard,
  error,
  failed,
  found,
  inShort,
  lastError,
  payment,
} from '#testing/stripe-exchanges.js';
import { CHARGE_ROWS } from './charge-rows.js';
import { CLASSIFICATION, classify } from './classification.js';
import { lookUpOutcome, see, sentOutcome } from './outcome.js';
import { REFUND_ROWS } from './refund-rows.js';
import { FIRST_ROWS, LAST_ROWS } from './shared-rows.js';
import { CAPTURE_ROWS, VOID_ROWS } from './step-rows.js';
import { FAILURES, type Exchange } from './send-once.js';

const NOW_MS = 0;

const replayed = { 'idempotent-replayed': 'true' };
const declinedWith = (payment_intent: unknown) =>
  answered(402, error('card_error', 'card_declined', { payment_intent }));
const invalid = (status: number, code: string, headers = {}) =>
  answered(status, error('invalid_request_error', code), headers);
const limiter = (reason: string) => ({ 'stripe-rate-limited-reason': reason });

/** What is seen, the row that it must meet, and in short what that says of a charge and of a look-up. */
const CASES: [row: string, exchange: Exchange, charge: string, lookUp: string][] = [
  ['connect-refused', failed('connect_refused'), 'not sent', 'not sent'],
  ['connect-failed', failed('connect_failed'), 'not sent', 'not sent'],
  ['late-unsent', failed('deadline_before_sending'), 'not sent', 'not sent'],
  ['late', failed('deadline_after_sending'), 'timeout, counts', 'timeout'],
  ['reset', failed('reset'), 'reset, counts', 'reset'],
  ['oversized', failed('oversized'), 'nonsense, counts', 'nonsense'],
  ['garbled', failed('garbled'), 'nonsense, counts', 'nonsense'],

  ['stored-error', answered(500, {}, replayed), 'server_error, stored, counts', 'server_error'],
  ['stored-error', answered(424, {}, replayed), 'server_error, stored, counts', 'server_error'],
  ['server-error', answered(500, payment({})), 'server_error', 'server_error'],
  [
    'server-error',
    answered(500, {}, { 'idempotent-replayed': 'false' }),
    'server_error',
    'server_error',
  ],
  ['server-error', answered(424, {}), 'server_error', 'server_error'],
  ['server-error', answered(599, 'x'), 'server_error', 'server_error'],
  ['refused', answered(401, error('invalid_request_error')), 'refused', 'refused'],
  ['refused', answered(403, error('invalid_request_error')), 'refused', 'refused'],
  [
    'in-progress',
    answered(409, error('idempotency_error', 'idempotency_key_in_use')),
    'in_progress',
    'in_progress',
  ],
  ['in-progress', invalid(409, 'lock_timeout'), 'in_progress', 'in_progress'],
  ['in-progress', invalid(429, 'lock_timeout'), 'in_progress', 'in_progress'],
  [
    'in-progress',
    answered(422, error('idempotency_error', 'idempotency_key_in_use')),
    'in_progress',
    'in_progress',
  ],
  ['rate-limited', invalid(429, 'rate_limit'), 'not sent', 'not sent'],
  [
    'rate-limited',
    answered(429, error('rate_limit_error', 'rate_limit'), limiter('global-rate')),
    'not sent',
    'not sent',
  ],
  ['rate-limited', invalid(400, 'rate_limit'), 'not sent', 'not sent'],
  [
    'rate-limited-late',
    invalid(429, 'rate_limit', limiter('resource-specific')),
    'rate_limited, counts',
    'rate_limited',
  ],
  [
    'rate-limited-late',
    invalid(429, 'payment_intent_rate_limit_exceeded'),
    'rate_limited, counts',
    'rate_limited',
  ],
  ['rate-limited-late', answered(429, 'busy'), 'rate_limited, counts', 'rate_limited'],
  ['key-mismatch', answered(400, error('idempotency_error')), 'key_mismatch, counts', 'nonsense'],

  ['unreadable', answered(200, 'text'), 'nonsense, counts', 'nonsense'],
  ['unreadable', answered(402, [declinedCard]), 'nonsense, counts', 'nonsense'],
  ['odd-object', answered(200, payment({ amount: '2500' })), 'nonsense, counts', 'nonsense'],
  ['odd-object', declinedWith('pi_1'), 'nonsense, counts', 'nonsense'],
  [
    'odd-object',
    answered(200, { object: 'search_result', data: {} }),
    'nonsense, counts',
    'nonsense',
  ],
  ['odd-object', answered(200, { ...found(), has_more: true }), 'nonsense, counts', 'nonsense'],
  ['other-object', answered(200, payment({ amount: 2501 })), 'nonsense, counts', 'conflict'],
  [
    'other-object',
    answered(200, found(payment({ currency: 'usd' }))),
    'nonsense, counts',
    'conflict',
  ],
  [
    'other-object',
    declinedWith(payment({ status: 'canceled', metadata: {} })),
    'nonsense, counts',
    'conflict',
  ],
  ['declined', answered(402, declinedCard), 'declined, stored', 'nonsense'],
  [
    'declined',
    declinedWith(payment({ status: 'requires_payment_method' })),
    'declined, stored',
    'nonsense',
  ],
  ['refused-and-kept', invalid(400, 'amount_too_small', replayed), 'declined, stored', 'refused'],
  ['no-such-object', invalid(404, 'resource_missing'), 'declined', 'not found'],
  ['invalid', invalid(400, 'amount_too_small'), 'declined', 'refused'],

  ['succeeded', answered(200, payment({})), 'succeeded', 'succeeded'],
  ['succeeded', answered(200, found(payment({}))), 'succeeded', 'succeeded'],
  [
    'processing',
    answered(200, payment({ status: 'processing' })),
    'processing, counts',
    'processing',
  ],
  [
    'attempt-failed',
    answered(200, payment({ status: 'requires_payment_method', ...lastError })),
    'declined, stored',
    'declined, stored',
  ],
  [
    'attempt-failed',
    answered(200, found(payment({ status: 'canceled', ...lastError }))),
    'declined, stored',
    'declined, stored',
  ],
  [
    'canceled',
    answered(200, payment({ status: 'canceled' })),
    'declined, stored',
    'declined, stored',
  ],
  [
    'unfinished',
    answered(200, payment({ status: 'requires_action' })),
    'processing, counts',
    'processing',
  ],
  [
    'unfinished',
    answered(200, payment({ status: 'requires_action', ...lastError })),
    'processing, counts',
    'processing',
  ],
  [
    'unfinished',
    answered(200, payment({ status: 'requires_confirmation' })),
    'processing, counts',
    'processing',
  ],
  [
    'unfinished',
    answered(200, payment({ status: 'requires_payment_method' })),
    'processing, counts',
    'processing',
  ],
  [
    'unfinished',
    answered(
      200,
      payment({ status: 'requires_payment_method', last_payment_error: { type: 'api_error' } }),
    ),
    'processing, counts',
    'processing',
  ],
  [
    'not-captured',
    answered(200, payment({ status: 'requires_capture' })),
    'nonsense, counts',
    'conflict',
  ],
  ['found-none', answered(200, found()), 'nonsense, counts', 'not found'],
  ['found-several', answered(200, found(payment({}), payment({}))), 'nonsense, counts', 'conflict'],
  [
    'anything-else',
    answered(200, payment({ status: 'delighted' })),
    'nonsense, counts',
    'nonsense',
  ],
  ['anything-else', answered(201, payment({})), 'nonsense, counts', 'nonsense'],
  ['anything-else', answered(302, {}), 'nonsense, counts', 'nonsense'],
  [
    'anything-else',
    answered(400, error('card_error', 'card_declined')),
    'nonsense, counts',
    'nonsense',
  ],
  ['anything-else', answered(402, error('api_error')), 'nonsense, counts', 'nonsense'],
  ['anything-else', answered(409, error('idempotency_error')), 'nonsense, counts', 'nonsense'],
  // Answers that contradict themselves: an error, and in it money that is there or on its way.
  ['anything-else', declinedWith(PAYMENT), 'nonsense, counts', 'nonsense'],
  [
    'anything-else',
    declinedWith(payment({ status: 'processing' })),
    'nonsense, counts',
    'nonsense',
  ],
  [
    'anything-else',
    answered(
      400,
      error('invalid_request_error', 'payment_intent_unexpected_state', {
        payment_intent: PAYMENT,
      }),
    ),
    'nonsense, counts',
    'nonsense',
  ],
];

describe('each way in which a charge can end', () => {
  it.each(CASES)('%s', (row, exchange, sent, lookUp) => {
    expect(classify('charge', see('charge', exchange, CHARGE)).name).toBe(row);
    expect(inShort(sentOutcome('charge', exchange, CHARGE, NOW_MS))).toBe(sent);
    expect(inShort(lookUpOutcome('charge', exchange, CHARGE, NOW_MS))).toBe(lookUp);
  });

  it('has a case for every row and for every failure of the transport', () => {
    const met = new Set(CASES.map(([row]) => row));
    const rows = CLASSIFICATION.charge.map(({ name }) => name);
    expect([...met, 'authorized'].sort()).toEqual(rows.sort()); // that one is met by manual charges only
    const failures = CASES.flatMap(([, end]) => (end.kind === 'failed' ? [end.failure] : []));
    expect(failures.sort()).toEqual([...FAILURES].sort());
  });
});

describe('each way in which a manual charge can end', () => {
  const held = { status: 'requires_capture', amount_received: 0, amount_capturable: 2500 };
  it.each<[row: string, changes: object, sent: string, lookUp: string]>([
    ['authorized', held, 'authorized', 'authorized'],
    ['authorized', { ...held, amount_capturable: undefined }, 'authorized', 'authorized'],
    ['other-object', { ...held, amount_capturable: 2499 }, 'nonsense, counts', 'conflict'],
    ['other-object', { ...held, amount: 2499 }, 'nonsense, counts', 'conflict'],
    ['succeeded', {}, 'succeeded', 'succeeded'],
    ['succeeded', { amount_received: 1 }, 'succeeded', 'succeeded'],
    ['other-object', { amount_received: 0 }, 'nonsense, counts', 'conflict'],
    ['other-object', { amount_received: 2501 }, 'nonsense, counts', 'conflict'],
    ['other-object', { amount_received: '2500' }, 'nonsense, counts', 'conflict'],
    ['canceled', { status: 'canceled' }, 'declined, stored', 'declined, stored'],
  ])('%s: %j', (row, changes, sent, lookUp) => {
    const exchange = answered(200, payment(changes));
    expect(classify('charge', see('charge', exchange, MANUAL)).name).toBe(row);
    expect(inShort(sentOutcome('charge', exchange, MANUAL, NOW_MS))).toBe(sent);
    expect(inShort(lookUpOutcome('charge', exchange, MANUAL, NOW_MS))).toBe(lookUp);
  });
});

it('is printed in the description of this library, word for word', () => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const lines = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replace(/ +/g, ' '));
  const parts = [FIRST_ROWS, CHARGE_ROWS, CAPTURE_ROWS, VOID_ROWS, REFUND_ROWS, LAST_ROWS];
  expect(lines).toEqual(
    parts
      .flat()
      .map(
        ({ name, seen, send, lookUp }) =>
          `| \`${name}\` | ${seen} | ${inShort(send)} | ${inShort(lookUp)} |`,
      ),
  );
});
