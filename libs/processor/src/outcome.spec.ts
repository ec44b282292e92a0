import { describe, expect, it } from 'vitest';

import { CHARGE, MANUAL } from '#testing/stripe-answers.js';
import { answered, declinedCard, error, lastError, payment } from '#testing/stripe-exchanges.js';
import { sentOutcome } from './outcome.js';

const NOW_MS = Date.UTC(2026, 0, 15, 12, 0, 0);

describe('what an outcome tells', () => {
  const decline = (body: unknown, status = 402) =>
    sentOutcome('charge', answered(status, body), CHARGE, NOW_MS);

  it('names the decline by the most precise code, and the payment it left behind', () => {
    expect(decline(declinedCard)).toEqual({
      kind: 'declined',
      stored: true,
      declineCode: 'insufficient_funds',
      message: 'Words.',
      processorId: null,
    });
    const left = { payment_intent: payment({ status: 'requires_payment_method' }) };
    expect(decline(error('card_error', 'expired_card', left))).toMatchObject({
      declineCode: 'expired_card',
      processorId: 'pi_1',
    });
  });

  it('names a missing authentication as such, whatever the bank calls it', () => {
    const body = error('card_error', 'authentication_required', { decline_code: 'do_not_honor' });
    expect(decline(body)).toMatchObject({ declineCode: 'authentication_required' });
  });

  it('names the decline that a payment remembers', () => {
    const body = payment({ status: 'requires_payment_method', ...lastError });
    expect(decline(body, 200)).toMatchObject({
      declineCode: 'insufficient_funds',
      processorId: 'pi_1',
    });
    expect(decline(payment({ status: 'canceled' }), 200)).toMatchObject({
      declineCode: 'canceled',
    });
  });

  it('has a code and words of its own where the answer has none that can be shown', () => {
    const body = { error: { type: 'card_error', code: '<script>', message: 7 } };
    expect(decline(body)).toMatchObject({
      declineCode: 'generic_decline',
      message: 'The processor declined the payment.',
    });
  });

  it('repeats neither card numbers nor keys', () => {
    const message = 'No card 4242 4242-4242 4242 for sk_test_abc123 here.';
    expect(decline(error('card_error', 'x', { message }))).toMatchObject({
      message: 'No card **** for **** here.',
    });
    const refused = answered(401, error('invalid_request_error', undefined, { message }));
    expect(JSON.stringify(sentOutcome('charge', refused, CHARGE, NOW_MS))).not.toMatch(
      /4242|sk_test/,
    );
  });

  it.each([
    ['7', 7],
    ['86400', 3600],
    ['Thu, 15 Jan 2026 12:00:05 GMT', 5],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
    ['Fri, 16 Jan 2026 12:00:00 GMT', 3600],
    ['soon', null],
    ['-1', null],
    ['1.5', null],
    ['2, 3', null],
    ['', null],
  ])('takes Retry-After: %s as %s seconds', (header, seconds) => {
    const exchange = answered(503, {}, { 'retry-after': header });
    expect(sentOutcome('charge', exchange, CHARGE, NOW_MS)).toMatchObject({
      retryAfterSeconds: seconds,
    });
  });
});

describe('what an authorization tells', () => {
  const held = (card: unknown) =>
    answered(
      200,
      payment({
        status: 'requires_capture',
        amount_received: 0,
        latest_charge: { id: 'ch_1', payment_method_details: { card } },
      }),
    );
  const authorized = { kind: 'authorized', processorId: 'pi_1', amount: 2500, currency: 'myr' };

  it('is until when it can be captured', () => {
    const outcome = sentOutcome('charge', held({ capture_before: 1_800_000_000 }), MANUAL, NOW_MS);
    expect(outcome).toEqual({ ...authorized, expiresAt: new Date('2027-01-15T08:00:00Z') });
  });

  it.each([
    [undefined],
    [{}],
    [{ capture_before: null }],
    [{ capture_before: '1800000000' }],
    [{ capture_before: 1_800_000_000.5 }],
    [{ capture_before: 0 }],
    [{ capture_before: -1 }],
    [{ capture_before: 8_640_000_000_001 }],
  ])('is nothing of that kind with %j', (card) => {
    const outcome = sentOutcome('charge', held(card), MANUAL, NOW_MS);
    expect(outcome).toEqual({ ...authorized, expiresAt: null });
  });
});
