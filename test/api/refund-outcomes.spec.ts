import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { System } from '#testing/system.js';
import { expectProblem, expectReplay } from '../contract/expectations.js';
import { type StepsWorld, startStepsWorld } from './steps-world.js';

const DAY_MS = 86_400_000;

let world: StepsWorld;
let system: System;
beforeAll(async () => {
  world = await startStepsWorld();
  ({ system } = world);
});
afterAll(() => system.close());

const reserved = async (id: string) =>
  (await system.owner.query('SELECT amount_reserved::int FROM payments WHERE id = $1', [id]))
    .rows[0].amount_reserved;

describe('a refund', () => {
  it('that the processor refuses is 402, saved, and holds nothing', async () => {
    const id = await world.pay({ payment_method: 'pm_test_refund_refused' });
    const key = randomUUID();
    const first = await world.refund(id, { amount: 1000, reason: '4242424242424242' }, key);
    expectProblem(first, { code: 'refund_failed', key });
    expect(first.json).toMatchObject({
      payment_id: id,
      decline_code: 'generic_decline',
      refund: { status: 'failed', failure: { code: 'refund_declined' } },
    });
    expect(first.text).not.toContain('4242424242424242');
    expectReplay(await world.refund(id, { amount: 1000, reason: '4242424242424242' }, key), first);
    const { status, failure, reason } = await world.readRefund(first.json.refund_id);
    expect([status, failure.code]).toEqual(['failed', 'refund_declined']);
    expect(reason).toBe('4242424242424242'); // the caller's own words, to the caller
    expect([await reserved(id), (await world.read(id)).amount_refunded]).toEqual([0, 0]);
    expect(await world.moved(id, 'refund')).toEqual({ there: [], here: [] });
  });

  it('that the processor takes its time over is 201 and pending, and holds its amount', async () => {
    const id = await world.pay({ payment_method: 'pm_card_pendingRefund' });
    const key = randomUUID();
    const first = await world.refund(id, { amount: 1000 }, key);
    expect([first.status, first.json.status, first.json.settled_at]).toEqual([
      201,
      'pending',
      null,
    ]);
    expectReplay(await world.refund(id, { amount: 1000 }, key), first);
    expect(await world.readRefund(first.json.id)).toEqual(first.json);
    expect(await world.read(id)).toMatchObject({ amount_refunded: 0, unresolved: null });
    const more = await world.refund(id, { amount: 1501 });
    expectProblem(more, { code: 'refund_exceeds_remaining', param: 'amount' });
    expect(more.json.remaining).toBe(1500);
  });

  it('is 202 while nobody knows, and holds its amount until somebody does', async () => {
    const id = await world.pay();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const key = randomUUID();
    const first = await world.refund(id, { amount: 1000 }, key);
    expect([first.status, first.json.object, first.json.status]).toEqual([
      202,
      'refund',
      'pending',
    ]);
    expect(first.headers.get('location')).toBe(`/v1/refunds/${first.json.id}`);
    expect(first.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await world.refund(id, { amount: 1501 })).json.remaining).toBe(1500);
    expect(await world.read(id)).toMatchObject({ amount_refunded: 0, unresolved: null });
    const again = await world.refund(id, { amount: 1000 }, key);
    expect([again.status, again.json.id], again.text).toEqual([201, first.json.id]);
    expect(await world.moved(id, 'refund')).toEqual({ there: [1000], here: [1000] });
  });

  it('that is unknown is looked up before it is read', async () => {
    const id = await world.pay();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const { status, json } = await world.refund(id, { amount: 1000 });
    expect(status).toBe(202);
    await system.advance(2_000);
    expect(await world.readRefund(json.id)).toMatchObject({ id: json.id, status: 'succeeded' });
    expect((await world.read(id)).amount_refunded).toBe(1000);
  });

  it('that is unknown, and refused ever since, is looked up each time until a person is asked', async () => {
    const id = await world.pay();
    await system.mockClient.faults({ fault: 'lose_request', times: 1 });
    const key = randomUUID();
    expect((await world.refund(id, { amount: 1000 }, key)).status).toBe(202);
    // We have not heard of it: the refund is sent again, and the processor will have none.
    const { processor } = await world.read(id);
    const dispute = { kind: 'dispute_opened', payment_intent: processor.id };
    expect((await system.mockClient.control('POST', 'events', dispute)).status).toBe(200);
    const left = async () => {
      const sql = 'SELECT tries, reason, review_at FROM unresolved WHERE payment_id = $1';
      return (await system.owner.query(sql, [id])).rows[0];
    };
    // The lost request was the first try.
    for (let tries = 2; tries <= system.core.deps.terms.recoveryTriesMax; tries += 1) {
      await system.advance(60_000);
      expect((await world.refund(id, { amount: 1000 }, key)).status).toBe(202);
      expect(await left()).toMatchObject({
        tries,
        reason: expect.stringMatching(/refused \(charge_disputed\), and a look-up found no refund/),
      });
    }
    expect((await left()).review_at).not.toBeNull();
    expect(await world.moved(id, 'refund')).toEqual({ there: [], here: [] });
  });

  it('that was never sent is 503, holds nothing, and fits or not when its caller comes again', async () => {
    const id = await world.pay();
    await system.mockClient.faults({ fault: 'busy', times: 1 });
    const key = randomUUID();
    const first = await world.refund(id, { amount: 2000 }, key);
    expectProblem(first, { code: 'processor_unavailable', key });
    expect([await reserved(id), (await world.read(id)).unresolved]).toEqual([0, null]);

    expect((await world.refund(id, { amount: 1000 })).status).toBe(201);
    const late = await world.refund(id, { amount: 2000 }, key);
    expectProblem(late, { code: 'refund_exceeds_remaining', param: 'amount', key });
    expect(late.json.remaining).toBe(1500);
    expect((await world.moved(id, 'refund')).there).toEqual([1000]);

    const ofKey = await world.client.get(`/v1/refunds?idempotency_key=${key}`);
    expect(ofKey.json.data).toMatchObject([{ status: 'pending', amount: 2000 }]);
    await system.advance(7 * DAY_MS);
    const end = await world.refund(id, { amount: 2000 }, key);
    expectProblem(end, { code: 'refund_failed', key });
    expect(end.json.refund.failure.code).toBe('not_sent');
    expect(await world.readRefund(ofKey.json.data[0].id)).toMatchObject({ status: 'failed' });
  });

  it('knows a caller who waits so long and no longer, and no respond-async', async () => {
    const path = `/v1/payments/${await world.pay()}/refunds`;
    const key = randomUUID();
    const first = await world.client.post(path, { amount: 1 }, key, { prefer: 'wait=0' });
    expect(first.headers.get('preference-applied')).toBe('wait=0');
    expect([202, 503]).toContain(first.status); // whether it had been sent by then is a race
    await system.core.deps.background.idle();
    expect((await world.client.post(path, { amount: 1 }, key)).status).toBe(201);
    const async = await world.client.post(path, {}, randomUUID(), { prefer: 'respond-async' });
    expect([async.status, async.headers.get('preference-applied')]).toEqual([201, null]);
  });
});
