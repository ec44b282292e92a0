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

describe('an authorized payment', () => {
  it('holds the money and takes none, and says so', async () => {
    const first = await world.client.pay({ capture: 'manual' });
    expect(first.status, first.text).toBe(201);
    expect(first.json).toMatchObject({
      status: 'authorized',
      capture: 'manual',
      amount: 2500,
      amount_captured: 0,
      settled_at: null,
      unresolved: null,
    });
    expect(await world.read(first.json.id)).toEqual(first.json);
    const found = await world.client.get('/v1/payments?status=authorized&limit=1');
    expect(found.json.data[0].id).toBe(first.json.id);
    expect(await world.moved(first.json.id, 'capture')).toEqual({ there: [], here: [] });
  });
});

describe('POST /v1/payments/{id}/capture', () => {
  it('takes all of it: 200, the payment as it is from then on', async () => {
    const id = await world.authorize();
    const answer = await world.capture(id);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({ id, status: 'succeeded', amount_captured: 2500 });
    expect(answer.headers.get('location')).toBeNull();
    expect(await world.read(id)).toEqual(answer.json);
    expect(await world.moved(id, 'capture')).toEqual({ there: [2500], here: [2500] });
  });

  it('takes a part, and the rest is given back', async () => {
    const id = await world.authorize();
    const { json } = await world.capture(id, { amount: 1000 });
    expect(json).toMatchObject({ status: 'succeeded', amount: 2500, amount_captured: 1000 });
    expect(await world.moved(id, 'capture')).toEqual({ there: [1000], here: [1000] });
  });

  it('again with the same key gets the same bytes, and takes nothing', async () => {
    const id = await world.authorize();
    const key = randomUUID();
    const first = await world.capture(id, { amount: 1000 }, key);
    expectReplay(await world.capture(id, { amount: 1000.0 }, key), first);
    await world.client.post(`/v1/payments/${id}/refunds`, {});
    expectReplay(await world.capture(id, { amount: 1000 }, key), first);
    expect(await world.moved(id, 'capture')).toEqual({ there: [1000], here: [1000] });
  });

  it('treats an empty body without a Content-Type as {}', async () => {
    const id = await world.authorize();
    const key = randomUUID();
    const first = await world.capture(id, undefined, key);
    expectReplay(await world.capture(id, {}, key), first);
  });

  it('refuses the key for another body, another route and another payment', async () => {
    const [id, other] = [await world.authorize(), await world.authorize()];
    const key = randomUUID();
    await world.capture(id, { amount: 1000 }, key);
    const reused = [
      await world.capture(id, { amount: 1001 }, key),
      await world.capture(id, undefined, key),
      await world.capture(other, { amount: 1000 }, key),
      await world.capture('nonsense', { amount: 1000 }, key),
      await world.client.post(`/v1/payments/${id}/refunds`, { amount: 1000 }, key),
      await world.cancel(id, key),
      await world.client.pay({}, key),
    ];
    for (const answer of reused) expectProblem(answer, { code: 'idempotency_key_reused', key });
    expect(await world.read(other)).toMatchObject({ status: 'authorized', unresolved: null });
  });

  it('needs a key, spelt as everywhere', async () => {
    const path = `/v1/payments/${await world.authorize()}/capture`;
    const missing = await world.client.send('POST', path, {});
    expectProblem(missing, { code: 'idempotency_key_missing' });
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
    { body: { currency: 'myr' }, param: 'currency' },
    { body: { constructor: 'x' }, param: 'constructor' },
    { body: [], param: null },
  ])('refuses $body, and the key stays unused', async ({ body, param }) => {
    const id = await world.authorize();
    const key = randomUUID();
    expectProblem(await world.capture(id, body, key), { code: 'validation_failed', param, key });
    expect((await world.capture(id, undefined, key)).status).toBe(200);
  });

  it('refuses what is no JSON, and what is sent as something else', async () => {
    const path = `/v1/payments/${await world.authorize()}/capture`;
    const send = (body: string, type: string) =>
      world.client.send('POST', path, {
        body,
        headers: { 'content-type': type, 'idempotency-key': randomUUID() },
      });
    expectProblem(await send('{"amount":1', 'application/json'), { code: 'malformed_json' });
    const twice = await send('{"amount":1,"amount":2}', 'application/json');
    expectProblem(twice, { code: 'duplicate_member', param: 'amount' });
    expectProblem(await send('{}', 'text/plain'), { code: 'unsupported_media_type' });
  });

  it('refuses more than was authorized, and names that', async () => {
    const id = await world.authorize();
    const key = randomUUID();
    const answer = await world.capture(id, { amount: 2501 }, key);
    expectProblem(answer, { code: 'capture_exceeds_authorized', param: 'amount', key });
    expect(answer.json).toMatchObject({ payment_id: id, authorized: 2500 });
    expect((await world.capture(id, { amount: 2500 }, key)).status).toBe(200);
  });

  it('refuses what the processor cannot carry in this currency', async () => {
    const id = await world.authorize({ amount: 2500, currency: 'kwd' });
    const answer = await world.capture(id, { amount: 1234 });
    expectProblem(answer, { code: 'amount_not_representable', param: 'amount' });
    expect((await world.capture(id, { amount: 1230 })).status).toBe(200);
  });
});

describe('the timeline of a captured payment', () => {
  it('tells both operations, each with its own answer', async () => {
    const id = await world.authorize();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const key = randomUUID();
    await world.capture(id, undefined, key);
    await world.capture(id, undefined, key);
    const { json } = await world.client.get(`/v1/payments/${id}/timeline`);
    const steps = json.data.map(({ kind, detail }: { kind: string; detail: string | null }) => [
      kind,
      kind.startsWith('attempt_unknown') ? detail?.split(':')[0] : detail,
    ]);
    expect(steps).toEqual([
      ['claimed', 'POST /v1/payments'],
      ['attempt_opened', 'send'],
      ['attempt_authorized', null],
      ['payment.authorized', null],
      ['answer_saved', 'HTTP 201'],
      ['claimed', 'POST /v1/payments/:id/capture'],
      ['attempt_opened', 'capture: send'],
      ['attempt_unknown', 'capture'],
      ['taken_over', 'capture: by a request'],
      ['attempt_opened', 'capture: send'],
      ['attempt_succeeded', 'capture'],
      ['payment.succeeded', null],
      ['answer_saved', 'capture: HTTP 200'],
    ]);
  });
});
