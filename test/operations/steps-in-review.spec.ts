import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, ApiClient } from '#testing/http.js';
import { type StepsWorld, startStepsWorld } from '../api/steps-world.js';

const PAST_THE_SEND_LIMIT_MS = 13 * 3_600_000;

let world: StepsWorld;
let ann: ApiClient;
beforeEach(async () => {
  world = await startStepsWorld();
  ann = await world.system.newOperator('Ann');
});
afterEach(() => world.system.close());

type Entry = { operation_id: string; kind: string; refund_id: string | null; amount: number };

/** A step whose answer is lost, given to people since the processor then answered nothing for half a day. */
async function inReview(fault: string, step: () => Promise<Answer>): Promise<Entry> {
  const { system } = world;
  await system.mockClient.faults({ fault, times: 1 });
  expect((await step()).status).toBe(202);
  await system.mockClient.faults({ fault: 'down' });
  await system.advance(PAST_THE_SEND_LIMIT_MS);
  expect(await system.sweep()).toEqual({ 202: 1 });
  await system.mockClient.control('DELETE', 'faults');
  const { data } = (await ann.get('/v1/operations/reviews')).json;
  expect(data).toHaveLength(1);
  return data[0];
}

const resolve = ({ operation_id: id }: Entry, body: object) =>
  ann.send('POST', `/v1/operations/reviews/${id}/resolve`, {
    body: JSON.stringify({ reason: 'seen there', ...body }),
    headers: { 'content-type': 'application/json' },
  });

describe('a refund in review', () => {
  it('is an entry of its own, and is recorded when what is named is read back', async () => {
    const id = await world.pay();
    const { processor } = await world.read(id);
    const key = randomUUID();
    const entry = await inReview('lose_response', () => world.refund(id, { amount: 900 }, key));
    expect(entry).toMatchObject({
      kind: 'refund',
      payment_id: id,
      refund_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      amount: 900,
      processor,
    });
    const [booked] = await world.system.booked('refund');
    const resolved = await resolve(entry, { as: 'happened', processor_id: booked?.id });
    expect([resolved.status, resolved.json.standing]).toEqual([200, 'resolved']);
    expect(resolved.json.payment.amount_refunded).toBe(900);
    expect(await world.readRefund(entry.refund_id ?? '')).toMatchObject({ status: 'succeeded' });
    expect((await world.refund(id, { amount: 900 }, key)).status).toBe(201);
    expect(await world.moved(id, 'refund')).toEqual({ there: [900], here: [900] });
    expect((await ann.get('/v1/operations/audit')).json.data).toMatchObject([
      {
        target: `operation:${entry.operation_id}`,
        before: { kind: 'refund', refund_status: 'pending', in_review: true },
        after: {
          refund_id: entry.refund_id,
          refund_status: 'succeeded',
          processor_id: booked?.id,
          in_review: false,
        },
      },
    ]);
  });

  it('is not recorded by another refund of the same payment, or by the payment itself', async () => {
    const id = await world.pay();
    await world.refund(id, { amount: 900 });
    const [other] = await world.system.booked('refund');
    const entry = await inReview('lose_request', () => world.refund(id, { amount: 900 }));
    const { processor } = await world.read(id);
    for (const name of [other?.id, processor.id]) {
      const refused = await resolve(entry, { as: 'happened', processor_id: name });
      expect([refused.status, refused.json.code]).toEqual([409, 'proof_not_confirmed']);
    }
    expect(await world.readRefund(entry.refund_id ?? '')).toMatchObject({ status: 'pending' });
    expect(await world.moved(id, 'refund')).toEqual({ there: [900], here: [900] });
  });

  it('that did not happen fails for good, and gives its part back', async () => {
    const id = await world.pay();
    const key = randomUUID();
    const entry = await inReview('lose_request', () => world.refund(id, {}, key));
    expect((await world.refund(id)).status).toBe(409);
    const resolved = await resolve(entry, { as: 'did_not_happen' });
    expect([resolved.status, resolved.json.standing]).toEqual([200, 'resolved']);
    const retry = await world.refund(id, {}, key);
    expect([retry.status, retry.json.code]).toEqual([402, 'refund_failed']);
    expect((await world.refund(id)).json).toMatchObject({ status: 'succeeded', amount: 2500 });
  });
});

describe('a capture or a void in review', () => {
  it('is recorded under the name of its payment', async () => {
    const id = await world.authorize();
    const { processor } = await world.read(id);
    const key = randomUUID();
    const entry = await inReview('lose_response', () => world.capture(id, { amount: 700 }, key));
    expect(entry).toMatchObject({ kind: 'capture', refund_id: null, amount: 700, processor });
    const wrong = await resolve(entry, { as: 'happened', processor_id: 'pi_none' });
    expect(wrong.json.code).toBe('proof_not_confirmed');
    const resolved = await resolve(entry, { as: 'happened', processor_id: processor.id });
    expect(resolved.json).toMatchObject({
      standing: 'resolved',
      payment: { status: 'succeeded', amount_captured: 700 },
    });
    expect((await world.capture(id, { amount: 700 }, key)).json).toEqual(resolved.json.payment);
    expect(await world.moved(id, 'capture')).toEqual({ there: [700], here: [700] });
  });

  it('that did not happen leaves the money held, to be taken after all', async () => {
    const id = await world.authorize();
    const key = randomUUID();
    const entry = await inReview('lose_request', () => world.cancel(id, key));
    expect(entry).toMatchObject({ kind: 'void', amount: 2500 });
    const resolved = await resolve(entry, { as: 'did_not_happen' });
    expect(resolved.json).toMatchObject({
      standing: 'resolved',
      payment: { status: 'authorized' },
    });
    const retry = await world.cancel(id, key);
    expect([retry.status, retry.json.code]).toEqual([402, 'void_failed']);
    expect((await world.capture(id)).json).toMatchObject({ status: 'succeeded' });
  });
});
