import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { System } from '#testing/system.js';
import { expectProblem, expectReplay } from '../contract/expectations.js';
import { type StepsWorld, startStepsWorld } from './steps-world.js';

let world: StepsWorld;
let system: System;
beforeAll(async () => {
  world = await startStepsWorld();
  ({ system } = world);
});
afterAll(() => system.close());

describe('POST /v1/payments/{id}/refunds', () => {
  it('gives back a part: 201, the refund, where it is found', async () => {
    const id = await world.pay();
    const answer = await world.refund(id, {
      amount: 1000,
      currency: 'myr',
      reason: 'returned: 靴',
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      object: 'refund',
      payment_id: id,
      status: 'succeeded',
      amount: 1000,
      currency: 'myr',
      reason: 'returned: 靴',
      failure: null,
      created_at: expect.stringMatching(/Z$/),
      settled_at: expect.stringMatching(/Z$/),
    });
    expect(answer.headers.get('location')).toBe(`/v1/refunds/${answer.json.id}`);
    expect(await world.readRefund(answer.json.id)).toEqual(answer.json);
    const after = { status: 'succeeded', amount_captured: 2500, amount_refunded: 1000 };
    expect(await world.read(id)).toMatchObject({ ...after, unresolved: null });
    expect(await world.moved(id, 'refund')).toEqual({ there: [1000], here: [1000] });
  });

  it('gives back the rest where no amount is named, also without any body', async () => {
    const id = await world.pay();
    expect((await world.refund(id, { amount: 900 })).json).toMatchObject({
      amount: 900,
      reason: null,
    });
    const key = randomUUID();
    const rest = await world.refund(id, undefined, key);
    expect([rest.status, rest.json.amount]).toEqual([201, 1600]);
    expectReplay(await world.refund(id, {}, key), rest);
    expect((await world.read(id)).amount_refunded).toBe(2500);
    expect(await world.moved(id, 'refund')).toEqual({ there: [900, 1600], here: [900, 1600] });
  });

  it('gives back what a partial capture took, and no more', async () => {
    const id = await world.authorize();
    await world.client.post(`/v1/payments/${id}/capture`, { amount: 700 });
    const more = await world.refund(id, { amount: 701 });
    expectProblem(more, { code: 'refund_exceeds_remaining', param: 'amount' });
    expect(more.json.remaining).toBe(700);
    expect((await world.refund(id)).json.amount).toBe(700);
  });

  it('again with the same key gets the same bytes, whatever came since', async () => {
    const id = await world.pay();
    const key = randomUUID();
    const first = await world.refund(id, { amount: 1000 }, key);
    expectReplay(await world.refund(id, { amount: 1000 }, key), first);
    await world.refund(id);
    expectReplay(await world.refund(id, { amount: 1000 }, key), first);
    expect((await world.moved(id, 'refund')).there).toEqual([1000, 1500]);
  });

  it('refuses the key for another body, another route and another payment', async () => {
    const [id, other] = [await world.pay(), await world.pay()];
    const key = randomUUID();
    await world.refund(id, { amount: 1000 }, key);
    const reused = [
      await world.refund(id, { amount: 1001 }, key),
      await world.refund(id, { amount: 1000, reason: 'x' }, key),
      await world.refund(id, undefined, key),
      await world.refund(other, { amount: 1000 }, key),
      await world.refund('nonsense', { amount: 1000 }, key),
      await world.client.post(`/v1/payments/${id}/capture`, { amount: 1000 }, key),
      await world.client.pay({}, key),
    ];
    for (const answer of reused) expectProblem(answer, { code: 'idempotency_key_reused', key });
    expect(await world.moved(other, 'refund')).toEqual({ there: [], here: [] });
  });

  it('refuses the key of a payment', async () => {
    const key = randomUUID();
    const { json } = await world.client.pay({}, key);
    expectProblem(await world.refund(json.id, {}, key), { code: 'idempotency_key_reused', key });
  });

  it('needs a key, spelt as everywhere', async () => {
    const path = `/v1/payments/${await world.pay()}/refunds`;
    expectProblem(await world.client.send('POST', path, {}), { code: 'idempotency_key_missing' });
    expectProblem(await world.client.post(path, undefined, 'a,b'), {
      code: 'idempotency_key_invalid',
    });
  });

  it.each<{ body: object; param: string | null }>([
    { body: { amount: 0 }, param: 'amount' },
    { body: { amount: 100_000_000 }, param: 'amount' },
    { body: { amount: 0.5 }, param: 'amount' },
    { body: { amount: '1000' }, param: 'amount' },
    { body: { amount: null }, param: 'amount' },
    { body: { currency: 'MYR' }, param: 'currency' },
    { body: { currency: 'zzz' }, param: 'currency' },
    { body: { currency: null }, param: 'currency' },
    { body: { reason: '' }, param: 'reason' },
    { body: { reason: 'x'.repeat(501) }, param: 'reason' },
    { body: { reason: 7 }, param: 'reason' },
    { body: { reason: null }, param: 'reason' },
    { body: { payment_id: 'x' }, param: 'payment_id' },
    { body: { toString: 'x' }, param: 'toString' },
    { body: [], param: null },
  ])('refuses $param of $body, and the key stays unused', async ({ body, param }) => {
    const id = await world.pay();
    const key = randomUUID();
    expectProblem(await world.refund(id, body, key), { code: 'validation_failed', param, key });
    expect((await world.refund(id, { reason: 'x'.repeat(500) }, key)).status).toBe(201);
  });

  it('refuses what is no JSON, texts that cannot be kept, and other media types', async () => {
    const path = `/v1/payments/${await world.pay()}/refunds`;
    const send = (body: string, type = 'application/json') =>
      world.client.send('POST', path, {
        body,
        headers: { 'content-type': type, 'idempotency-key': randomUUID() },
      });
    expectProblem(await send(''), { code: 'malformed_json' });
    expectProblem(await send('{"amount":1,"amount":2}'), {
      code: 'duplicate_member',
      param: 'amount',
    });
    expectProblem(await send('{"reason":"a\\u0000b"}'), {
      code: 'invalid_encoding',
      param: 'reason',
    });
    expectProblem(await send('{}', 'text/plain'), { code: 'unsupported_media_type' });
  });
});

describe('the timeline of a refunded payment', () => {
  it('tells each refund, and its own answer', async () => {
    const id = await world.pay({ payment_method: 'pm_test_refund_refused' });
    await world.refund(id, { amount: 1000 });
    const { json } = await world.client.get(`/v1/payments/${id}/timeline`);
    const steps = json.data.map(({ kind, detail }: { kind: string; detail: string | null }) => [
      kind,
      detail,
    ]);
    expect(steps).toEqual([
      ['claimed', 'POST /v1/payments'],
      ['attempt_opened', 'send'],
      ['attempt_succeeded', null],
      ['payment.succeeded', null],
      ['answer_saved', 'HTTP 201'],
      ['claimed', 'POST /v1/payments/:id/refunds'],
      ['attempt_opened', 'refund: send'],
      ['attempt_declined', expect.stringMatching(/^refund: /)],
      ['refund.failed', null],
      ['answer_saved', 'refund: HTTP 402'],
    ]);
  });
});
