import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockClient } from '#testing/mock-client.js';
import { startMockProcessor, type Mock } from './server.js';

/** Stripe's own decline methods, through Stripe's own client. */
let folder: string;
let mock: Mock;
let stripe: Stripe;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-declines-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  const where = { host: '127.0.0.1', port: mock.port, protocol: 'http' as const };
  stripe = new Stripe('sk_test_mock', { ...where, telemetry: false, maxNetworkRetries: 0 });
});

afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

describe('declines', () => {
  test.each([
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_visa_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedLostCard', 'card_declined', 'lost_card'],
    ['pm_card_visa_chargeDeclinedStolenCard', 'card_declined', 'stolen_card'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
    ['pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
    ['pm_card_visa_chargeDeclinedFraudulent', 'card_declined', 'fraudulent'],
    ['pm_card_visa_chargeDeclinedFraudulentDecline', 'card_declined', 'fraudulent'],
    ['pm_card_radarBlock', 'card_declined', 'fraudulent'],
    ['pm_card_visa_chargeDeclinedconstructor', 'card_declined', 'generic_decline'],
    ['pm_card_authenticationRequired', 'authentication_required', 'authentication_required'],
  ])('%s is %s, %s', async (method, code, declineCode) => {
    const error = await stripe.paymentIntents
      .create(charge(method))
      .catch((caught: unknown) => caught as Stripe.errors.StripeCardError);
    expect(error).toMatchObject({ type: 'StripeCardError', statusCode: 402, code });
    expect(error).toMatchObject({ decline_code: declineCode });
    const { payment_intent: intent } = error as Stripe.errors.StripeCardError;
    expect(intent).toMatchObject({ status: 'requires_payment_method', amount_received: 0 });
    expect(intent?.last_payment_error?.decline_code).toBe(declineCode);
  });

  test('are kept under their key and leave no line in the book', async () => {
    const client = new MockClient(mock.url);
    const before = (await client.book()).length;
    const first = await client.charge('pm_card_chargeDeclined', { key: 'sc-declined' });
    const again = await client.charge('pm_card_chargeDeclined', { key: 'sc-declined' });
    expect(again.text).toBe(first.text);
    expect([first.status, again.status]).toEqual([402, 402]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await client.book()).length).toBe(before);
  });

  test('without being asked for an error, authentication is a status', async () => {
    const method = 'pm_card_threeDSecure2Required';
    const { error_on_requires_action: _, ...params } = charge(method);
    const intent = await stripe.paymentIntents.create(params);
    expect(intent.status).toBe('requires_action');
  });
});

function charge(method: string): Stripe.PaymentIntentCreateParams {
  const amounts = { amount: 2500, currency: 'myr' };
  return { ...amounts, confirm: true, payment_method: method, error_on_requires_action: true };
}
