import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { systemRandom } from '#seams/random.js';
import { MockClient } from '#testing/mock-client.js';
import {
  CAPTURE,
  CHARGE,
  MANUAL,
  REFUND,
  StripeBench,
  TIMEOUT,
  VOID,
} from '#testing/stripe-answers.js';
import { startMockProcessor, type Mock } from '../../../apps/mock-processor/src/server.js';
import type { ChargeRequest, Processor, StepRequest } from './processor.js';

const DAY_MS = 24 * 3_600_000;

const bench = new StripeBench();
let folder: string;
let mock: Mock;
let client: MockClient;
let processor: Processor;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payonce-adapter-steps-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  client = new MockClient(mock.url);
  processor = bench.processorAt(mock.url);
});
afterEach(() => client.control('DELETE', 'faults'));
afterAll(async () => {
  await bench.close();
  await mock.close();
  await rm(folder, { recursive: true });
});

/** Charges or authorizes with this method, and gives a step's request for that payment. */
async function stepOn<Step extends StepRequest>(
  step: Step,
  paymentMethod = 'pm_card_visa',
  charge: ChargeRequest = step.renderingVersion === REFUND.renderingVersion ? CHARGE : MANUAL,
): Promise<Step> {
  const request = { ...charge, processorKey: systemRandom.uuid(), paymentMethod };
  const outcome = await processor.charge(request, TIMEOUT);
  if (!('processorId' in outcome) || outcome.processorId === null) throw new Error(outcome.kind);
  return {
    ...step,
    processorKey: systemRandom.uuid(),
    chargeKey: request.processorKey,
    targetId: outcome.processorId,
  };
}

async function movementsOf({ targetId }: StepRequest): Promise<string[]> {
  const lines = await client.book();
  return lines
    .filter(({ id, parent }) => id === targetId || parent === targetId)
    .map(({ operation, amount }) => `${operation} ${amount}`);
}

const unknown = (reason: string, more: object = {}) => ({ kind: 'unknown', reason, ...more });
const notFound = { kind: 'not_found' };
const refused = { kind: 'declined', stored: true, declineCode: 'generic_decline' };

describe('a manual charge', () => {
  it('is authorized until the day that the processor names', async () => {
    const request = { ...MANUAL, processorKey: systemRandom.uuid() };
    const before = Date.now();
    const outcome = await processor.charge(request, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'authorized', amount: 2500, currency: 'myr' });
    const { expiresAt } = outcome as { expiresAt: Date };
    const inMs = expiresAt.getTime() - before;
    expect(inMs).toBeGreaterThan(7 * DAY_MS - 2000);
    expect(inMs).toBeLessThan(7 * DAY_MS + 60_000);
    expect(await processor.lookUpCharge(request, null, TIMEOUT)).toEqual(outcome);
    expect(await processor.charge(request, TIMEOUT)).toEqual(outcome);
  });

  it('is found with what was captured of it, once it is', async () => {
    const capture = await stepOn(CAPTURE);
    await processor.capture(capture, TIMEOUT);
    const request = { ...MANUAL, processorKey: capture.chargeKey };
    expect(await processor.lookUpCharge(request, null, TIMEOUT)).toMatchObject({
      kind: 'succeeded',
      processorId: capture.targetId,
      amount: 2000,
      fee: { amount: 88, currency: 'myr' },
    });
  });
});

describe('a capture', () => {
  it('takes a part, once, and is found', async () => {
    const request = await stepOn(CAPTURE);
    expect(await processor.lookUpCapture(request, TIMEOUT)).toEqual(notFound);
    const captured = await processor.capture(request, TIMEOUT);
    expect(captured).toEqual({
      kind: 'succeeded',
      processorId: request.targetId,
      amount: 2000,
      currency: 'myr',
      fee: { amount: 88, currency: 'myr' },
    });
    expect(await processor.capture(request, TIMEOUT)).toEqual(captured);
    expect(await processor.lookUpCapture(request, TIMEOUT)).toEqual(captured);
    expect(await movementsOf(request)).toEqual(['authorize 2500', 'capture 2000', 'fee 88']);
    const other = { ...request, amount: 1999 };
    expect(await processor.lookUpCapture(other, TIMEOUT)).toMatchObject({ kind: 'conflict' });
  });

  it('of more than is held is refused, and not kept', async () => {
    const request = await stepOn({ ...CAPTURE, amount: 2501 });
    expect(await processor.capture(request, TIMEOUT)).toMatchObject({
      kind: 'declined',
      stored: false,
      declineCode: 'amount_too_large',
    });
  });

  it('that is declined for good says so again, and leaves the money held', async () => {
    const request = await stepOn(CAPTURE, 'pm_test_capture_refused');
    expect(await processor.capture(request, TIMEOUT)).toMatchObject(refused);
    expect(await processor.capture(request, TIMEOUT)).toMatchObject(refused);
    expect(await processor.lookUpCapture(request, TIMEOUT)).toEqual(notFound);
  });

  it('of what has been given back is unexpected, and a look tells that it never can be', async () => {
    const request = await stepOn(CAPTURE);
    await processor.void({ ...request, amount: 2500, renderingVersion: 3 }, TIMEOUT);
    const late = { ...request, processorKey: systemRandom.uuid() };
    expect(await processor.capture(late, TIMEOUT)).toMatchObject(unknown('unexpected_state'));
    expect(await processor.lookUpCapture(late, TIMEOUT)).toEqual({
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
    const request = await stepOn(VOID);
    expect(await processor.lookUpVoid(request, TIMEOUT)).toEqual(notFound);
    const voided = await processor.void(request, TIMEOUT);
    expect(voided).toEqual({
      kind: 'succeeded',
      processorId: request.targetId,
      amount: 2500,
      currency: 'myr',
      fee: null,
    });
    expect(await processor.void(request, TIMEOUT)).toEqual(voided);
    expect(await processor.lookUpVoid(request, TIMEOUT)).toEqual(voided);
    expect(await movementsOf(request)).toEqual(['authorize 2500', 'void 2500']);
  });

  it('that is declined for good says so again, and leaves the money held', async () => {
    const request = await stepOn(VOID, 'pm_test_void_refused');
    expect(await processor.void(request, TIMEOUT)).toMatchObject(refused);
    expect(await processor.void(request, TIMEOUT)).toMatchObject(refused);
    expect(await processor.lookUpVoid(request, TIMEOUT)).toEqual(notFound);
  });

  it('of what has been captured is unexpected, and a look tells that it never can be', async () => {
    const request = await stepOn(VOID);
    const { targetId, chargeKey } = request;
    const key = systemRandom.uuid();
    await processor.capture({ ...CAPTURE, processorKey: key, targetId, chargeKey }, TIMEOUT);
    expect(await processor.void(request, TIMEOUT)).toMatchObject(unknown('unexpected_state'));
    expect(await processor.lookUpVoid(request, TIMEOUT)).toEqual({
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
    const request = await stepOn(REFUND);
    expect(await processor.lookUpRefund(request, null, TIMEOUT)).toEqual(notFound);
    const refunded = await processor.refund(request, TIMEOUT);
    expect(refunded).toEqual({
      kind: 'succeeded',
      processorId: expect.stringMatching(/^re_/),
      amount: 1000,
      currency: 'myr',
      fee: null,
    });
    const second = { ...request, processorKey: systemRandom.uuid() };
    const other = await processor.refund(second, TIMEOUT);
    expect(await processor.refund(request, TIMEOUT)).toEqual(refunded);
    expect(await processor.lookUpRefund(request, null, TIMEOUT)).toEqual(refunded);
    expect(await processor.lookUpRefund(second, null, TIMEOUT)).toEqual(other);
    const id = (refunded as { processorId: string }).processorId;
    expect(await processor.lookUpRefund(request, id, TIMEOUT)).toEqual(refunded);
    expect(await processor.lookUpRefund(second, id, TIMEOUT)).toMatchObject({ kind: 'conflict' });
    expect(await movementsOf(request)).toEqual([
      'charge 2500',
      'fee 103',
      'refund 1000',
      'refund 1000',
    ]);
  });

  it('never sends the reason', async () => {
    const request = await stepOn({ ...REFUND, reason: 'He said pm_card_visa was lost.' });
    const refunded = await processor.refund(request, TIMEOUT);
    const id = (refunded as { processorId: string }).processorId;
    expect((await client.get(`/v1/refunds/${id}`)).json).toMatchObject({ reason: null });
  });

  it('that the processor has not finished is accepted', async () => {
    const request = await stepOn(REFUND, 'pm_card_pendingRefund');
    const accepted = await processor.refund(request, TIMEOUT);
    expect(accepted).toEqual({
      kind: 'accepted',
      processorId: expect.stringMatching(/^re_/),
      amount: 1000,
      currency: 'myr',
    });
    expect(await processor.lookUpRefund(request, null, TIMEOUT)).toEqual(accepted);
    await client.advance(5_000);
    const found = await processor.lookUpRefund(request, null, TIMEOUT);
    expect(found).toMatchObject({ kind: 'succeeded', amount: 1000 });
  });

  it('that fails later is found as that', async () => {
    const request = await stepOn(REFUND, 'pm_card_refundFail');
    expect(await processor.refund(request, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
    await client.advance(5_000);
    expect(await processor.lookUpRefund(request, null, TIMEOUT)).toMatchObject({
      kind: 'declined',
      stored: true,
      declineCode: 'expired_or_canceled_card',
      processorId: expect.stringMatching(/^re_/),
    });
  });

  it('that is declined for good says so again, and leaves none', async () => {
    const request = await stepOn(REFUND, 'pm_test_refund_refused');
    expect(await processor.refund(request, TIMEOUT)).toMatchObject(refused);
    expect(await processor.refund(request, TIMEOUT)).toMatchObject(refused);
    expect(await processor.lookUpRefund(request, null, TIMEOUT)).toEqual(notFound);
  });

  it('of more than is left is refused, and not kept', async () => {
    const request = await stepOn({ ...REFUND, amount: 2500 });
    await processor.refund(request, TIMEOUT);
    const late = { ...request, processorKey: systemRandom.uuid() };
    expect(await processor.refund(late, TIMEOUT)).toMatchObject({
      kind: 'declined',
      stored: false,
      declineCode: 'charge_already_refunded',
    });
  });
});
