import { describe, expect, it } from 'vitest';

import { CAPTURE, CHARGE, PAYMENT, VOID } from '#testing/stripe-answers.js';
import {
  answered,
  declinedCard,
  error,
  inShort,
  lastError,
  payment,
  SHARED_ENDS,
} from '#testing/stripe-exchanges.js';
import { CLASSIFICATION, classify } from './classification.js';
import { lookUpOutcome, see, sentOutcome } from './outcome.js';
import type { StepRequest } from './processor.js';
import type { Exchange } from './send-once.js';
import { FIRST_ROWS } from './shared-rows.js';

const NOW_MS = 0;

type Kind = 'capture' | 'void';
const REQUESTS: Record<Kind, StepRequest> = { capture: CAPTURE, void: VOID };

const replayed = { 'idempotent-replayed': 'true' };
const held = (changes = {}) =>
  payment({ status: 'requires_capture', amount_received: 0, amount_capturable: 2500, ...changes });
const captured = (changes = {}) => payment({ amount_received: 2000, ...changes });
const voided = (changes = {}) => payment({ status: 'canceled', amount_received: 0, ...changes });
const declinedWith = (payment_intent: unknown) =>
  answered(402, error('card_error', 'card_declined', { payment_intent }));
const unexpected = (
  payment_intent: unknown,
  headers = {},
  code = 'payment_intent_unexpected_state',
) => answered(400, error('invalid_request_error', code, { payment_intent }), headers);
const invalid = (status: number, code: string, headers = {}, more: object = {}) =>
  answered(status, error('invalid_request_error', code, more), headers);
const otherMetadata = { ...PAYMENT.metadata, payonce_account: CHARGE.processorKey };

type Case = [row: string, exchange: Exchange, sent: string, lookUp: string];

/** What a capture and a void answer alike. */
const HELD_CASES: Case[] = [
  ['odd-object', answered(200, held({ amount: '2500' })), 'nonsense, counts', 'nonsense'],
  ['odd-object', answered(200, { object: 'refund' }), 'nonsense, counts', 'nonsense'],
  ['other-object', answered(200, held({ id: 'pi_2' })), 'nonsense, counts', 'conflict'],
  ['other-object', answered(200, held({ metadata: {} })), 'nonsense, counts', 'conflict'],
  ['other-object', answered(200, held({ currency: 'usd' })), 'nonsense, counts', 'conflict'],
  [
    'other-object',
    answered(200, held({ metadata: otherMetadata })),
    'nonsense, counts',
    'conflict',
  ],
  ['declined', answered(402, declinedCard), 'declined, stored', 'nonsense'],
  ['declined', declinedWith(held()), 'declined, stored', 'nonsense'],
  ['unexpected-state', unexpected(captured()), 'unexpected_state, counts', 'unexpected_state'],
  ['unexpected-state', unexpected(voided()), 'unexpected_state, counts', 'unexpected_state'],
  ['unexpected-state', unexpected(undefined), 'unexpected_state, counts', 'unexpected_state'],
  [
    'unexpected-state',
    unexpected(undefined, {}, 'charge_already_captured'),
    'unexpected_state, counts',
    'unexpected_state',
  ],
  [
    'unexpected-state',
    unexpected(undefined, {}, 'charge_expired_for_capture'),
    'unexpected_state, counts',
    'unexpected_state',
  ],
  [
    'unexpected-and-kept',
    unexpected(held(), replayed),
    'unexpected_state, stored, counts',
    'unexpected_state',
  ],
  ['refused-and-kept', invalid(400, 'amount_too_large', replayed), 'declined, stored', 'refused'],
  ['no-such-object', invalid(404, 'resource_missing'), 'declined', 'not found'],
  ['invalid', invalid(400, 'amount_too_large'), 'declined', 'refused'],
  [
    'invalid',
    invalid(400, 'amount_too_large', {}, { payment_intent: held() }),
    'declined',
    'refused',
  ],
  ['still-held', answered(200, held()), 'nonsense, counts', 'not found'],
  [
    'processing',
    answered(200, payment({ status: 'processing' })),
    'processing, counts',
    'processing',
  ],
  ['anything-else', answered(201, held()), 'nonsense, counts', 'nonsense'],
  [
    'anything-else',
    answered(200, held({ status: 'requires_payment_method' })),
    'nonsense, counts',
    'nonsense',
  ],
  // Errors that contradict themselves: the step has been refused, and it has happened.
  ['anything-else', declinedWith(captured()), 'nonsense, counts', 'nonsense'],
  ['anything-else', declinedWith(voided()), 'nonsense, counts', 'nonsense'],
  [
    'anything-else',
    invalid(400, 'amount_too_large', {}, { payment_intent: captured() }),
    'nonsense, counts',
    'nonsense',
  ],
];

const CASES: Record<Kind, Case[]> = {
  capture: [
    ...HELD_CASES,
    ['captured', answered(200, captured()), 'succeeded', 'succeeded'],
    ['captured', answered(200, captured(lastError)), 'succeeded', 'succeeded'],
    ['captured-otherwise', answered(200, payment({})), 'nonsense, counts', 'conflict'],
    [
      'captured-otherwise',
      answered(200, captured({ amount_received: undefined })),
      'nonsense, counts',
      'conflict',
    ],
    [
      'captured-otherwise',
      answered(200, captured({ amount_received: '2000' })),
      'nonsense, counts',
      'conflict',
    ],
    ['given-back', answered(200, voided()), 'unexpected_state, counts', 'declined, stored'],
    [
      'given-back',
      answered(200, voided(lastError)),
      'unexpected_state, counts',
      'declined, stored',
    ],
  ],
  void: [
    ...HELD_CASES,
    ['other-object', answered(200, held({ amount: 2499 })), 'nonsense, counts', 'conflict'],
    ['voided', answered(200, voided()), 'succeeded', 'succeeded'],
    ['captured-before', answered(200, captured()), 'unexpected_state, counts', 'declined, stored'],
    ['captured-before', answered(200, payment({})), 'unexpected_state, counts', 'declined, stored'],
  ],
};

describe.each(['capture', 'void'] as const)('each way in which a %s can end', (kind) => {
  const request = REQUESTS[kind];

  it.each(CASES[kind])('%s', (row, exchange, sent, lookUp) => {
    expect(classify(kind, see(kind, exchange, request)).name).toBe(row);
    expect(inShort(sentOutcome(kind, exchange, request, NOW_MS))).toBe(sent);
    expect(inShort(lookUpOutcome(kind, exchange, request, NOW_MS))).toBe(lookUp);
  });

  it('has a case for every row of its own', () => {
    const met = new Set(CASES[kind].map(([row]) => row));
    const shared = new Set(FIRST_ROWS.map(({ name }) => name));
    const own = CLASSIFICATION[kind].map(({ name }) => name).filter((name) => !shared.has(name));
    const inLists = ['found-none', 'found-several'];
    expect([...met, ...inLists]).toEqual(expect.arrayContaining(own));
  });

  it.each(SHARED_ENDS)('%s, as for a charge', (row, exchange) => {
    expect(classify(kind, see(kind, exchange, request)).name).toBe(row);
    expect(inShort(sentOutcome(kind, exchange, request, NOW_MS))).toBe(
      inShort(sentOutcome('charge', exchange, CHARGE, NOW_MS)),
    );
    expect(inShort(lookUpOutcome(kind, exchange, request, NOW_MS))).toBe(
      inShort(lookUpOutcome('charge', exchange, CHARGE, NOW_MS)),
    );
  });
});

describe('what the outcome of a step tells', () => {
  it('does not take an old decline of the payment for why it cannot be captured', () => {
    const exchange = answered(200, voided(lastError));
    expect(lookUpOutcome('capture', exchange, CAPTURE, NOW_MS)).toMatchObject({
      declineCode: 'authorization_canceled',
      processorId: 'pi_1',
    });
  });

  it('tells the fee of a capture, and none of a void', () => {
    expect(sentOutcome('capture', answered(200, captured()), CAPTURE, NOW_MS)).toEqual({
      kind: 'succeeded',
      processorId: 'pi_1',
      amount: 2000,
      currency: 'myr',
      fee: { amount: 103, currency: 'myr' },
    });
    expect(sentOutcome('void', answered(200, voided()), VOID, NOW_MS)).toMatchObject({
      amount: 2500,
      fee: null,
    });
  });
});
