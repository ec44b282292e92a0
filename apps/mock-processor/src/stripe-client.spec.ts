import { afterEach, expect, test } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { startMockProcessor, type Mock } from './server.js';

let mock: Mock;
let folder: string;
afterEach(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

test('smoke', async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  const stripe = new Stripe('sk_test_x', {
    host: '127.0.0.1',
    port: mock.port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  });
  const params = {
    amount: 2500,
    currency: 'myr',
    confirm: true,
    payment_method: 'pm_123',
    metadata: { payonce_intent: 'i1' },
    error_on_requires_action: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' as const },
    expand: ['latest_charge.balance_transaction'],
  };
  const intent = await stripe.paymentIntents.create(params, { idempotencyKey: 'k1' });
  const again = await stripe.paymentIntents.create(params, { idempotencyKey: 'k1' });
  expect(again).toEqual(intent);
  await expect(
    stripe.paymentIntents.create(
      { ...params, payment_method: 'pm_card_chargeDeclinedInsufficientFunds' },
      { idempotencyKey: 'k2' },
    ),
  ).rejects.toMatchObject({
    type: 'StripeCardError',
    decline_code: 'insufficient_funds',
    statusCode: 402,
  });
  await expect(
    stripe.paymentIntents.create({ ...params, amount: 1 }, { idempotencyKey: 'k1' }),
  ).rejects.toMatchObject({ type: 'StripeIdempotencyError' });
});
