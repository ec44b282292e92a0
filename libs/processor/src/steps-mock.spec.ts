import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { systemRandom } from '#seams/random.js';
import { CAPTURE, MANUAL, REFUND, TIMEOUT, VOID } from '#testing/stripe-answers.js';
import { startStepWorld, type StepWorld } from '#testing/step-world.js';

const DAY_MS = 24 * 3_600_000;

let world: StepWorld;

beforeAll(async () => {
  world = await startStepWorld();
});
afterAll(() => world.close());

const unknown = (reason: string, more: object = {}) => ({ kind: 'unknown', reason, ...more });
const notFound = { kind: 'not_found' };
const refused = { kind: 'declined', stored: true, declineCode: 'generic_decline' };

describe('a manual charge', () => {
  it('is authorized until the day that the processor names', async () => {
    const request = { ...MANUAL, processorKey: systemRandom.uuid() };
    const before = Date.now();
    const outcome = await world.processor.charge(request, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'authorized', amount: 2500, currency: 'myr' });
    const { expiresAt } = outcome as { expiresAt: Date };
    const inMs = expiresAt.getTime() - before;
    expect(inMs).toBeGreaterThan(7 * DAY_MS - 2000);
    expect(inMs).toBeLessThan(7 * DAY_MS + 60_000);
    expect(await world.processor.lookUpCharge(request, null, TIMEOUT)).toEqual(outcome);
    expect(await world.processor.charge(request, TIMEOUT)).toEqual(outcome);
  });

  it('is found with what was captured of it, once it is', async () => {
    const capture = await world.stepOn(CAPTURE);
    await world.processor.capture(capture, TIMEOUT);
    const request = { ...MANUAL, processorKey: capture.chargeKey };
    expect(await world.processor.lookUpCharge(request, null, TIMEOUT)).toMatchObject({
      kind: 'succeeded',
      processorId: capture.targetId,
      amount: 2000,
      fee: { amount: 88, currency: 'myr' },
    });
  });
});

describe('a capture', () => {
  it('takes a part, once, and is found', async () => {
    const request = await world.stepOn(CAPTURE);
    expect(await world.processor.lookUpCapture(request, TIMEOUT)).toEqual(notFound);
    const captured = await world.processor.capture(request, TIMEOUT);
    expect(captured).toEqual({
      kind: 'succeeded',
      processorId: request.targetId,
      amount: 2000,
      currency: 'myr',
      fee: { amount: 88, currency: 'myr' },
    });
    expect(await world.processor.capture(request, TIMEOUT)).toEqual(captured);
    expect(await world.processor.lookUpCapture(request, TIMEOUT)).toEqual(captured);
    expect(await world.movementsOf(request)).toEqual(['authorize 2500', 'capture 2000', 'fee 88']);
    const other = { ...request, amount: 1999 };
    expect(await world.processor.lookUpCapture(other, TIMEOUT)).toMatchObject({ kind: 'conflict' });
  });

  it('of more than is held is refused, and not kept', async () => {
    const request = await world.stepOn({ ...CAPTURE, amount: 2501 });
    expect(await world.processor.capture(request, TIMEOUT)).toMatchObject({
      kind: 'declined',
      stored: false,
      declineCode: 'amount_too_large',
    });
  });

  it('that is declined for good says so again, and leaves the money held', async () => {
    const request = await world.stepOn(CAPTURE, 'pm_test_capture_refused');
    expect(await world.processor.capture(request, TIMEOUT)).toMatchObject(refused);
    expect(await world.processor.capture(request, TIMEOUT)).toMatchObject(refused);
    expect(await world.processor.lookUpCapture(request, TIMEOUT)).toEqual(notFound);
  });

  it('of what has been given back is unexpected, and a look tells that it never can be', async () => {
    const request = await world.stepOn(CAPTURE);
    await world.processor.void({ ...request, amount: 2500, renderingVersion: 3 }, TIMEOUT);
    const late = { ...request, processorKey: systemRandom.uuid() };
    expect(await world.processor.capture(late, TIMEOUT)).toMatchObject(unknown('unexpected_state'));
    expect(await world.processor.lookUpCapture(late, TIMEOUT)).toEqual({
      kind: 'declined',
      stored: true,
      declineCode: 'authorization_canceled',
      message: 'The authorization has been canceled.',
      processorId: request.targetId,
    });
  });
});

describe('a void', () => {
  it('gives all of it back, once, and is found', async () => {
    const request = await world.stepOn(VOID);
    expect(await world.processor.lookUpVoid(request, TIMEOUT)).toEqual(notFound);
    const voided = await world.processor.void(request, TIMEOUT);
    expect(voided).toEqual({
      kind: 'succeeded',
      processorId: request.targetId,
      amount: 2500,
      currency: 'myr',
      fee: null,
    });
    expect(await world.processor.void(request, TIMEOUT)).toEqual(voided);
    expect(await world.processor.lookUpVoid(request, TIMEOUT)).toEqual(voided);
    expect(await world.movementsOf(request)).toEqual(['authorize 2500', 'void 2500']);
  });

  it('that is declined for good says so again, and leaves the money held', async () => {
    const request = await world.stepOn(VOID, 'pm_test_void_refused');
    expect(await world.processor.void(request, TIMEOUT)).toMatchObject(refused);
    expect(await world.processor.void(request, TIMEOUT)).toMatchObject(refused);
    expect(await world.processor.lookUpVoid(request, TIMEOUT)).toEqual(notFound);
  });

  it('of what has been captured is unexpected, and a look tells that it never can be', async () => {
    const request = await world.stepOn(VOID);
    const { targetId, chargeKey } = request;
    const key = systemRandom.uuid();
    await world.processor.capture({ ...CAPTURE, processorKey: key, targetId, chargeKey }, TIMEOUT);
    expect(await world.processor.void(request, TIMEOUT)).toMatchObject(unknown('unexpected_state'));
    expect(await world.processor.lookUpVoid(request, TIMEOUT)).toEqual({
      kind: 'declined',
      stored: true,
      declineCode: 'already_captured',
      message: 'The payment has been captured.',
      processorId: targetId,
    });
  });
});

describe('a refund', () => {
  it('gives a part back, once, and is found by its id and among the others', async () => {
    const request = await world.stepOn(REFUND);
    expect(await world.processor.lookUpRefund(request, null, TIMEOUT)).toEqual(notFound);
    const refunded = await world.processor.refund(request, TIMEOUT);
    expect(refunded).toEqual({
      kind: 'succeeded',
      processorId: expect.stringMatching(/^re_/),
      amount: 1000,
      currency: 'myr',
      fee: null,
    });
    const second = { ...request, processorKey: systemRandom.uuid() };
    const other = await world.processor.refund(second, TIMEOUT);
    expect(await world.processor.refund(request, TIMEOUT)).toEqual(refunded);
    expect(await world.processor.lookUpRefund(request, null, TIMEOUT)).toEqual(refunded);
    expect(await world.processor.lookUpRefund(second, null, TIMEOUT)).toEqual(other);
    const id = (refunded as { processorId: string }).processorId;
    expect(await world.processor.lookUpRefund(request, id, TIMEOUT)).toEqual(refunded);
    expect(await world.processor.lookUpRefund(second, id, TIMEOUT)).toMatchObject({
      kind: 'conflict',
    });
    expect(await world.movementsOf(request)).toEqual([
      'charge 2500',
      'fee 103',
      'refund 1000',
      'refund 1000',
    ]);
  });

  it('never sends the reason', async () => {
    const request = await world.stepOn({ ...REFUND, reason: 'He said pm_card_visa was lost.' });
    const refunded = await world.processor.refund(request, TIMEOUT);
    const id = (refunded as { processorId: string }).processorId;
    expect((await world.client.get(`/v1/refunds/${id}`)).json).toMatchObject({ reason: null });
  });

  it('that the processor has not finished is accepted', async () => {
    const request = await world.stepOn(REFUND, 'pm_card_pendingRefund');
    const accepted = await world.processor.refund(request, TIMEOUT);
    expect(accepted).toEqual({
      kind: 'accepted',
      processorId: expect.stringMatching(/^re_/),
      amount: 1000,
      currency: 'myr',
    });
    expect(await world.processor.lookUpRefund(request, null, TIMEOUT)).toEqual(accepted);
    await world.client.advance(5_000);
    const found = await world.processor.lookUpRefund(request, null, TIMEOUT);
    expect(found).toMatchObject({ kind: 'succeeded', amount: 1000 });
  });

  it('that fails later is found as that', async () => {
    const request = await world.stepOn(REFUND, 'pm_card_refundFail');
    expect(await world.processor.refund(request, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
    await world.client.advance(5_000);
    expect(await world.processor.lookUpRefund(request, null, TIMEOUT)).toMatchObject({
      kind: 'declined',
      stored: true,
      declineCode: 'expired_or_canceled_card',
      processorId: expect.stringMatching(/^re_/),
    });
  });

  it('that is declined for good says so again, and leaves none', async () => {
    const request = await world.stepOn(REFUND, 'pm_test_refund_refused');
    expect(await world.processor.refund(request, TIMEOUT)).toMatchObject(refused);
    expect(await world.processor.refund(request, TIMEOUT)).toMatchObject(refused);
    expect(await world.processor.lookUpRefund(request, null, TIMEOUT)).toEqual(notFound);
  });

  it('of more than is left is refused, and not kept', async () => {
    const request = await world.stepOn({ ...REFUND, amount: 2500 });
    await world.processor.refund(request, TIMEOUT);
    const late = { ...request, processorKey: systemRandom.uuid() };
    expect(await world.processor.refund(late, TIMEOUT)).toMatchObject({
      kind: 'declined',
      stored: false,
      declineCode: 'charge_already_refunded',
    });
  });
});
