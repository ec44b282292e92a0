import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startStepWorld, type StepWorld } from '#testing/step-world.js';
import { CAPTURE, REFUND, TIMEOUT } from '#testing/stripe-answers.js';
import type { StepRequest } from './processor.js';

let world: StepWorld;

beforeAll(async () => {
  world = await startStepWorld();
});
afterAll(() => world.close());

const whose = ({ accountId, chargeKey }: StepRequest) => ({ accountId, intent: chargeKey });

async function happens(kind: string, { targetId }: StepRequest): Promise<void> {
  const answer = await world.client.control('POST', 'events', { kind, payment_intent: targetId });
  expect(answer.status, answer.text).toBe(200);
}

describe('the mock tells by id', () => {
  it('a payment, before and after its capture', async () => {
    const request = await world.stepOn(CAPTURE);
    const payment = { kind: 'found', processorId: request.targetId, ...whose(request) };
    const { processor } = world;
    expect(await processor.readPayment(request.targetId, TIMEOUT)).toEqual({
      ...payment,
      status: 'requires_capture',
      amount: 2500,
      amountReceived: 0,
      currency: 'myr',
    });
    await processor.capture(request, TIMEOUT);
    expect(await processor.readPayment(request.targetId, TIMEOUT)).toMatchObject({
      ...payment,
      status: 'succeeded',
      amountReceived: 2000,
    });
    expect(await processor.readPayment('pi_unheard_of', TIMEOUT)).toEqual({ kind: 'not_found' });
  });

  it('a refund, under the key of the refund, until it has failed', async () => {
    const request = await world.stepOn(REFUND, 'pm_card_refundFail');
    const outcome = await world.processor.refund(request, TIMEOUT);
    const id = (outcome as { processorId: string }).processorId;
    const refund = {
      kind: 'found',
      processorId: id,
      accountId: request.accountId,
      intent: request.processorKey,
      amount: 1000,
      currency: 'myr',
      paymentId: request.targetId,
    };
    expect(await world.processor.readRefund(id, TIMEOUT)).toEqual({
      ...refund,
      status: 'succeeded',
      failureReason: null,
    });
    await world.client.advance(5_000);
    expect(await world.processor.readRefund(id, TIMEOUT)).toEqual({
      ...refund,
      status: 'failed',
      failureReason: 'expired_or_canceled_card',
    });
  });

  it.each(['won', 'lost'] as const)('a dispute and whose it is, until it is %s', async (end) => {
    const request = await world.stepOn(REFUND);
    await happens('dispute_opened', request);
    const { data } = (await world.client.get('/v1/disputes')).json;
    const id: string = data[0].id;
    const dispute = {
      kind: 'found',
      processorId: id,
      ...whose(request),
      amount: 2500,
      currency: 'myr',
      paymentId: request.targetId,
      openedAt: expect.any(Date),
    };
    expect(await world.processor.readDispute(id, TIMEOUT)).toEqual({ ...dispute, status: 'open' });
    await happens(`dispute_${end}`, request);
    expect(await world.processor.readDispute(id, TIMEOUT)).toEqual({ ...dispute, status: end });
  });
});
