import { afterAll, describe, expect, it } from 'vitest';

import { systemClock } from '#seams/clock.js';
import { systemRandom } from '#seams/random.js';
import { CAPTURE, CHARGE, REFUND, VOID } from '#testing/stripe-answers.js';
import type { ChargeRequest, StepRequest } from './processor.js';
import { stripeProcessor } from './stripe-processor.js';

/**
 * The adapter against Stripe itself, in test mode, with Stripe's test cards. No money moves, but it
 * needs an account's key and the network, so it runs only where `STRIPE_SECRET_KEY` is set to a test key.
 */
const secretKey = process.env['STRIPE_SECRET_KEY'] ?? '';
const hasTestKey = /^[sr]k_test_\w{20,}$/.test(secretKey);
const reason = hasTestKey ? 'with a test key' : 'skipped: STRIPE_SECRET_KEY holds no sk_test_ key';

describe.skipIf(!hasTestKey)(`Stripe itself (${reason})`, () => {
  const processor = stripeProcessor({
    name: 'stripe',
    secretKey: secretKey || 'sk_test_none',
    apiBase: null,
    clock: systemClock,
  });
  afterAll(() => processor.close());

  const patience = { timeoutMs: 20_000 };
  const requestFor = (paymentMethod: string): ChargeRequest => ({
    ...CHARGE,
    processorKey: systemRandom.uuid(),
    currency: 'usd',
    paymentMethod,
  });

  it('tells whose key it is', async () => {
    expect(await processor.account(patience)).toMatch(/^acct_/);
  });

  it('charges once under one key, and is found by id', async () => {
    const request = requestFor('pm_card_visa');
    const charged = await processor.charge(request, patience);
    expect(charged).toMatchObject({ kind: 'succeeded', amount: 2500, currency: 'usd' });
    expect(await processor.charge(request, patience)).toEqual(charged);
    const id = charged.kind === 'succeeded' ? charged.processorId : null;
    expect(await processor.lookUpCharge(request, id, patience)).toMatchObject({
      kind: 'succeeded',
    });
  });

  it.each([
    ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds', true],
    ['pm_card_authenticationRequired', 'authentication_required', true],
    ['pm_unheard_of', 'resource_missing', false],
  ])('declines %s', async (paymentMethod, declineCode, stored) => {
    const outcome = await processor.charge(requestFor(paymentMethod), patience);
    expect(outcome).toMatchObject({ kind: 'declined', declineCode, stored });
  });

  it('refuses our key with other parameters', async () => {
    const request = requestFor('pm_card_visa');
    await processor.charge(request, patience);
    const outcome = await processor.charge({ ...request, amount: 2600 }, patience);
    expect(outcome).toMatchObject({ kind: 'unknown', reason: 'key_mismatch' });
  });

  /** A step of its own on a payment that was made for it. */
  async function stepOn<Step extends StepRequest>(
    step: Step,
    capture: ChargeRequest['capture'],
  ): Promise<Step> {
    const charge = { ...requestFor('pm_card_visa'), capture };
    const made = await processor.charge(charge, patience);
    if (made.kind !== 'succeeded' && made.kind !== 'authorized') throw new Error(made.kind);
    const { processorKey: chargeKey, currency } = charge;
    const processorKey = systemRandom.uuid();
    return { ...step, processorKey, chargeKey, currency, targetId: made.processorId };
  }

  it('captures a part of what it holds, once', async () => {
    const request = await stepOn(CAPTURE, 'manual');
    expect(await processor.lookUpCapture(request, patience)).toEqual({ kind: 'not_found' });
    const captured = await processor.capture(request, patience);
    expect(captured).toMatchObject({ kind: 'succeeded', amount: 2000, currency: 'usd' });
    expect(await processor.lookUpCapture(request, patience)).toMatchObject({ kind: 'succeeded' });
    const { targetId, chargeKey, currency } = request;
    const processorKey = systemRandom.uuid();
    const late = { ...VOID, processorKey, targetId, chargeKey, currency };
    const refused = await processor.void(late, patience);
    expect(refused).toMatchObject({ kind: 'unknown', reason: 'unexpected_state' });
  });

  it('gives back what it holds', async () => {
    const request = await stepOn(VOID, 'manual');
    expect(await processor.void(request, patience)).toMatchObject({ kind: 'succeeded' });
    expect(await processor.lookUpVoid(request, patience)).toMatchObject({ kind: 'succeeded' });
  });

  it('refunds once under one key, and finds it', async () => {
    const request = await stepOn(REFUND, 'automatic');
    const refunded = await processor.refund(request, patience);
    expect(refunded).toMatchObject({ amount: 1000, currency: 'usd' });
    expect(await processor.refund(request, patience)).toEqual(refunded);
    expect(await processor.lookUpRefund(request, null, patience)).toEqual(refunded);
  });
});
