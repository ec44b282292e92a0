import { describe, expect, it } from 'vitest';

import { CHARGE, PAYMENT, REFUND, REFUNDED } from '#testing/stripe-answers.js';
import { answered, declinedCard, error, inShort, SHARED_ENDS } from '#testing/stripe-exchanges.js';
import { CLASSIFICATION, classify } from './classification.js';
import { lookUpOutcome, see, sentOutcome } from './outcome.js';
import type { Exchange } from './send-once.js';
import { FIRST_ROWS } from './shared-rows.js';

const NOW_MS = 0;

const replayed = { 'idempotent-replayed': 'true' };
const refund = (changes = {}) => ({ ...REFUNDED, ...changes });
const invalid = (status: number, code: string, headers = {}, more: object = {}) =>
  answered(status, error('invalid_request_error', code, more), headers);

const CASES: [row: string, exchange: Exchange, sent: string, lookUp: string][] = [
  ['odd-object', answered(200, refund({ amount: '1000' })), 'nonsense, counts', 'nonsense'],
  ['odd-object', answered(200, refund({ id: 'pi_1' })), 'nonsense, counts', 'nonsense'],
  ['odd-object', answered(200, refund({ status: null })), 'nonsense, counts', 'nonsense'],
  ['odd-object', answered(200, refund({ currency: 7 })), 'nonsense, counts', 'nonsense'],
  ['odd-object', answered(200, PAYMENT), 'nonsense, counts', 'nonsense'],
  ['other-object', answered(200, refund({ amount: 999 })), 'nonsense, counts', 'conflict'],
  ['other-object', answered(200, refund({ currency: 'usd' })), 'nonsense, counts', 'conflict'],
  [
    'other-object',
    answered(200, refund({ payment_intent: 'pi_2' })),
    'nonsense, counts',
    'conflict',
  ],
  ['other-object', answered(200, refund({ metadata: {} })), 'nonsense, counts', 'conflict'],
  [
    'other-object',
    answered(200, refund({ metadata: { ...REFUNDED.metadata, payonce_account: 'x' } })),
    'nonsense, counts',
    'conflict',
  ],
  ['declined', answered(402, declinedCard), 'declined, stored', 'nonsense'],
  [
    'declined',
    answered(402, error('card_error', 'card_declined', { payment_intent: PAYMENT })),
    'declined, stored',
    'nonsense',
  ],
  [
    'refused-and-kept',
    invalid(400, 'charge_already_refunded', replayed),
    'declined, stored',
    'refused',
  ],
  ['no-such-object', invalid(404, 'resource_missing'), 'declined', 'not found'],
  ['invalid', invalid(400, 'charge_already_refunded'), 'declined', 'refused'],
  [
    'invalid',
    invalid(400, 'payment_intent_unexpected_state', {}, { payment_intent: PAYMENT }),
    'declined',
    'refused',
  ],
  ['refunded', answered(200, refund()), 'succeeded', 'succeeded'],
  ['refunded', answered(200, refund({ payment_intent: { id: 'pi_1' } })), 'succeeded', 'succeeded'],
  ['accepted', answered(200, refund({ status: 'pending' })), 'accepted', 'accepted'],
  ['accepted', answered(200, refund({ status: 'requires_action' })), 'accepted', 'accepted'],
  [
    'refund-failed',
    answered(200, refund({ status: 'failed' })),
    'declined, stored',
    'declined, stored',
  ],
  [
    'refund-canceled',
    answered(200, refund({ status: 'canceled' })),
    'declined, stored',
    'declined, stored',
  ],
  ['anything-else', answered(200, refund({ status: 'delighted' })), 'nonsense, counts', 'nonsense'],
  ['anything-else', answered(201, refund()), 'nonsense, counts', 'nonsense'],
];

describe('each way in which a refund can end', () => {
  it.each(CASES)('%s', (row, exchange, sent, lookUp) => {
    expect(classify('refund', see('refund', exchange, REFUND)).name).toBe(row);
    expect(inShort(sentOutcome('refund', exchange, REFUND, NOW_MS))).toBe(sent);
    expect(inShort(lookUpOutcome('refund', exchange, REFUND, NOW_MS))).toBe(lookUp);
  });

  it('has a case for every row of its own', () => {
    const met = new Set(CASES.map(([row]) => row));
    const shared = new Set(FIRST_ROWS.map(({ name }) => name));
    const own = CLASSIFICATION.refund.map(({ name }) => name).filter((name) => !shared.has(name));
    const inLists = ['found-none', 'found-several'];
    expect([...met, ...inLists]).toEqual(expect.arrayContaining(own));
  });

  it.each(SHARED_ENDS)('%s, as for a charge', (row, exchange) => {
    expect(classify('refund', see('refund', exchange, REFUND)).name).toBe(row);
    expect(inShort(sentOutcome('refund', exchange, REFUND, NOW_MS))).toBe(
      inShort(sentOutcome('charge', exchange, CHARGE, NOW_MS)),
    );
    expect(inShort(lookUpOutcome('refund', exchange, REFUND, NOW_MS))).toBe(
      inShort(lookUpOutcome('charge', exchange, CHARGE, NOW_MS)),
    );
  });
});

describe('what the outcome of a refund tells', () => {
  it('names why a refund failed, and which it was', () => {
    const body = refund({ status: 'failed', failure_reason: 'lost_or_stolen_card' });
    expect(sentOutcome('refund', answered(200, body), REFUND, NOW_MS)).toEqual({
      kind: 'declined',
      stored: true,
      declineCode: 'lost_or_stolen_card',
      message: 'The processor declined the refund.',
      processorId: 're_1',
    });
  });

  it.each([
    ['failed', '<b>'],
    ['failed', undefined],
    ['canceled', undefined],
  ])('names a refund that is %s by that, where the reason is %s', (status, failure_reason) => {
    const outcome = sentOutcome(
      'refund',
      answered(200, refund({ status, failure_reason })),
      REFUND,
      NOW_MS,
    );
    expect(outcome).toMatchObject({ declineCode: status });
  });
});
