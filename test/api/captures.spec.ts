import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { expectProblem, expectReplay } from '../contract/expectations.js';

let system: System;
let client: ApiClient;
beforeAll(async () => {
  system = await startSystem({ bendTime: true });
  client = system.client;
});
afterAll(() => system.close());

async function authorize(body: object = {}): Promise<string> {
  const { status, json, text } = await client.pay({ capture: 'manual', ...body });
  expect([status, json.status], text).toEqual([201, 'authorized']);
  return json.id;
}

const capture = (id: string, body?: object, key?: string, by: ApiClient = client) =>
  by.post(`/v1/payments/${id}/capture`, body, key);
const cancel = (id: string, key?: string) =>
  client.post(`/v1/payments/${id}/cancel`, undefined, key);
const read = async (id: string) => (await client.get(`/v1/payments/${id}`)).json;
const codes = (answers: Answer[]) => answers.map(({ status, json }) => json.code ?? status);

/** What the processor's book and our ledger say was taken for a payment. */
async function taken(id: string): Promise<{ there: number[]; here: number[] }> {
  const { processor } = await read(id);
  const lines = await system.booked('capture');
  const { rows } = await system.owner.query(
    `SELECT amount::int FROM ledger_entries WHERE payment_id = $1 AND entry_kind = 'capture'`,
    [id],
  );
  return {
    there: lines.filter(({ parent }) => parent === processor.id).map(({ amount }) => amount),
    here: rows.map(({ amount }) => amount),
  };
}

describe('an authorized payment', () => {
  it('holds the money and takes none, and says so', async () => {
    const first = await client.pay({ capture: 'manual' });
    expect(first.status, first.text).toBe(201);
    expect(first.json).toMatchObject({
      status: 'authorized',
      capture: 'manual',
      amount: 2500,
      amount_captured: 0,
      settled_at: null,
      unresolved: null,
    });
    expect(await read(first.json.id)).toEqual(first.json);
    const found = await client.get('/v1/payments?status=authorized&limit=1');
    expect(found.json.data[0].id).toBe(first.json.id);
    expect(await taken(first.json.id)).toEqual({ there: [], here: [] });
  });
});

describe('POST /v1/payments/{id}/capture', () => {
  it('takes all of it: 200, the payment as it is from then on', async () => {
    const id = await authorize();
    const answer = await capture(id);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({ id, status: 'succeeded', amount_captured: 2500 });
    expect(answer.headers.get('location')).toBeNull();
    expect(await read(id)).toEqual(answer.json);
    expect(await taken(id)).toEqual({ there: [2500], here: [2500] });
  });

  it('takes a part, and the rest is given back', async () => {
    const id = await authorize();
    const { json } = await capture(id, { amount: 1000 });
    expect(json).toMatchObject({ status: 'succeeded', amount: 2500, amount_captured: 1000 });
    expect(await taken(id)).toEqual({ there: [1000], here: [1000] });
  });

  it('again with the same key gets the same bytes, and takes nothing', async () => {
    const id = await authorize();
    const key = randomUUID();
    const first = await capture(id, { amount: 1000 }, key);
    expectReplay(await capture(id, { amount: 1000.0 }, key), first);
    await client.post(`/v1/payments/${id}/refunds`, {});
    expectReplay(await capture(id, { amount: 1000 }, key), first);
    expect(await taken(id)).toEqual({ there: [1000], here: [1000] });
  });

  it('treats an empty body without a Content-Type as {}', async () => {
    const id = await authorize();
    const key = randomUUID();
    const first = await capture(id, undefined, key);
    expectReplay(await capture(id, {}, key), first);
  });

  it('refuses the key for another body, another route and another payment', async () => {
    const [id, other] = [await authorize(), await authorize()];
    const key = randomUUID();
    await capture(id, { amount: 1000 }, key);
    const reused = [
      await capture(id, { amount: 1001 }, key),
      await capture(id, undefined, key),
      await capture(other, { amount: 1000 }, key),
      await capture('nonsense', { amount: 1000 }, key),
      await client.post(`/v1/payments/${id}/refunds`, { amount: 1000 }, key),
      await cancel(id, key),
      await client.pay({}, key),
    ];
    for (const answer of reused) expectProblem(answer, { code: 'idempotency_key_reused', key });
    expect(await read(other)).toMatchObject({ status: 'authorized', unresolved: null });
  });

  it('needs a key, spelt as everywhere', async () => {
    const path = `/v1/payments/${await authorize()}/capture`;
    const missing = await client.send('POST', path, {});
    expectProblem(missing, { code: 'idempotency_key_missing' });
    expectProblem(await client.post(path, undefined, 'a,b'), { code: 'idempotency_key_invalid' });
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
    const id = await authorize();
    const key = randomUUID();
    expectProblem(await capture(id, body, key), { code: 'validation_failed', param, key });
    expect((await capture(id, undefined, key)).status).toBe(200);
  });

  it('refuses what is no JSON, and what is sent as something else', async () => {
    const path = `/v1/payments/${await authorize()}/capture`;
    const send = (body: string, type: string) =>
      client.send('POST', path, {
        body,
        headers: { 'content-type': type, 'idempotency-key': randomUUID() },
      });
    expectProblem(await send('{"amount":1', 'application/json'), { code: 'malformed_json' });
    const twice = await send('{"amount":1,"amount":2}', 'application/json');
    expectProblem(twice, { code: 'duplicate_member', param: 'amount' });
    expectProblem(await send('{}', 'text/plain'), { code: 'unsupported_media_type' });
  });

  it('refuses more than was authorized, and names that', async () => {
    const id = await authorize();
    const key = randomUUID();
    const answer = await capture(id, { amount: 2501 }, key);
    expectProblem(answer, { code: 'capture_exceeds_authorized', param: 'amount', key });
    expect(answer.json).toMatchObject({ payment_id: id, authorized: 2500 });
    expect((await capture(id, { amount: 2500 }, key)).status).toBe(200);
  });

  it('refuses what the processor cannot carry in this currency', async () => {
    const id = await authorize({ amount: 2500, currency: 'kwd' });
    const answer = await capture(id, { amount: 1234 });
    expectProblem(answer, { code: 'amount_not_representable', param: 'amount' });
    expect((await capture(id, { amount: 1230 })).status).toBe(200);
  });

  it.each([
    ['succeeded', {}, 'pm_123'],
    ['failed', {}, 'pm_card_chargeDeclined'],
    ['pending', { prefer: 'respond-async' }, 'pm_123'],
  ])('refuses a payment that is %s', async (state, headers, payment_method) => {
    const paid = await client.pay({ payment_method }, randomUUID(), headers);
    const id = paid.json.id ?? paid.json.payment_id;
    const answer = await capture(id);
    expectProblem(answer, { code: 'payment_not_capturable' });
    expect(answer.json).toMatchObject({ payment_id: id, payment_status: state });
  });

  it('refuses a payment that was captured or canceled before', async () => {
    const [captured, canceled] = [await authorize(), await authorize()];
    await capture(captured, { amount: 1 });
    expect((await cancel(canceled)).status).toBe(200);
    for (const [id, payment_status] of [
      [captured, 'succeeded'],
      [canceled, 'canceled'],
    ] as const) {
      const answer = await capture(id);
      expectProblem(answer, { code: 'payment_not_capturable' });
      expect(answer.json.payment_status).toBe(payment_status);
    }
    expect(await taken(captured)).toEqual({ there: [1], here: [1] });
  });

  it('knows no payment of another account, nor one that cannot be', async () => {
    const id = await authorize();
    const stranger = await system.newClient();
    const key = randomUUID();
    expectProblem(await capture(id, undefined, key, stranger), { code: 'payment_not_found', key });
    expectProblem(await capture('nonsense', undefined, key, stranger), {
      code: 'payment_not_found',
    });
    expect(await read(id)).toMatchObject({ status: 'authorized', unresolved: null });
    // Neither used the key up.
    expect((await capture(id, undefined, key)).status).toBe(200);
    expect((await stranger.pay({}, key)).status).toBe(201);
  });

  it('needs the right to write', async () => {
    const reader = await system.newClient({ scopes: ['payments:read'] });
    expectProblem(await capture(await authorize(), undefined, randomUUID(), reader), {
      code: 'forbidden',
    });
  });

  it('that the processor refuses is 402, saved; the payment stays authorized and can be canceled', async () => {
    const id = await authorize({ payment_method: 'pm_test_capture_refused' });
    const key = randomUUID();
    const first = await capture(id, undefined, key);
    expectProblem(first, { code: 'capture_failed', key });
    expect(first.json).toMatchObject({
      payment_id: id,
      decline_code: 'generic_decline',
      payment: { id, status: 'authorized' },
    });
    expectReplay(await capture(id, undefined, key), first);
    expect(await read(id)).toMatchObject({ status: 'authorized', unresolved: null });
    expect(await taken(id)).toEqual({ there: [], here: [] });
    expect((await cancel(id)).status).toBe(200);
  });

  it('is 202 while nobody knows, and the payment says what is under way', async () => {
    const id = await authorize();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const key = randomUUID();
    const first = await capture(id, undefined, key);
    expect([first.status, first.json.status], first.text).toEqual([202, 'authorized']);
    expect(first.json.unresolved).toContain('capture');
    expect(first.headers.get('location')).toBe(`/v1/payments/${id}`);
    expect(first.headers.get('retry-after')).toMatch(/^\d+$/);
    const twin = await capture(id);
    expectProblem(twin, { code: 'payment_in_progress' });
    expectProblem(await cancel(id), { code: 'payment_in_progress' });
    const again = await capture(id, undefined, key);
    expect([again.status, again.json.amount_captured], again.text).toEqual([200, 2500]);
    expect(await taken(id)).toEqual({ there: [2500], here: [2500] });
  });

  it('that is unknown is looked up before the payment is read', async () => {
    const id = await authorize();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    expect((await capture(id)).status).toBe(202);
    await system.advance(2_000);
    expect(await read(id)).toMatchObject({ status: 'succeeded', amount_captured: 2500 });
  });

  it('that was never sent is 503, waits for its caller, and lets another go first', async () => {
    const id = await authorize();
    await system.mockClient.faults({ fault: 'busy', times: 1 });
    const key = randomUUID();
    expectProblem(await capture(id, { amount: 1000 }, key), { code: 'processor_unavailable', key });
    expect((await read(id)).unresolved).toContain('nothing was sent for the capture');
    expect((await capture(id, { amount: 2000 })).status).toBe(200);
    expectProblem(await capture(id, { amount: 1000 }, key), { code: 'payment_not_capturable' });
    expect(await taken(id)).toEqual({ there: [2000], here: [2000] });
  });

  it('knows a caller who waits so long and no longer', async () => {
    const path = `/v1/payments/${await authorize()}/capture`;
    const key = randomUUID();
    const first = await client.post(path, {}, key, { prefer: 'wait=0' });
    expect(first.headers.get('preference-applied')).toBe('wait=0');
    expect([202, 503]).toContain(first.status); // whether it had been sent by then is a race
    await system.core.deps.background.idle();
    const again = await client.post(path, {}, key, { prefer: 'wait=60' });
    expect([again.status, again.headers.get('preference-applied')]).toEqual([200, 'wait=60']);
  });

  it('knows no respond-async', async () => {
    const path = `/v1/payments/${await authorize()}/capture`;
    const answer = await client.post(path, {}, randomUUID(), { prefer: 'respond-async' });
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, null]);
  });
});

describe('captures and cancels at the same instant', () => {
  it('exactly one of many captures is made', async () => {
    const id = await authorize();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => capture(id, { amount: 1000 + nth })),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done, codes(answers).join()).toHaveLength(1);
    for (const answer of answers.filter((one) => one !== done[0])) {
      expect(['payment_in_progress', 'payment_not_capturable']).toContain(answer.json.code);
      expect(answer.status).toBe(409);
    }
    const amount = done[0]?.json.amount_captured;
    expect(await taken(id)).toEqual({ there: [amount], here: [amount] });
  });

  it('a capture and a cancel: one wins, and both answers say so', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await authorize();
      const [captured, canceled] = await Promise.all([capture(id), cancel(id)]);
      expect(
        [captured.status, canceled.status].toSorted(),
        codes([captured, canceled]).join(),
      ).toEqual([200, 409]);
      const won = captured.status === 200;
      expect(await read(id)).toMatchObject({ status: won ? 'succeeded' : 'canceled' });
      expect(await taken(id)).toEqual(
        won ? { there: [2500], here: [2500] } : { there: [], here: [] },
      );
      const lost = won ? canceled : captured;
      expect([
        'payment_in_progress',
        won ? 'payment_not_cancelable' : 'payment_not_capturable',
      ]).toContain(lost.json.code);
    }
  });
});

describe('the timeline of a captured payment', () => {
  it('tells both operations, each with its own answer', async () => {
    const id = await authorize();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const key = randomUUID();
    await capture(id, undefined, key);
    await capture(id, undefined, key);
    const { json } = await client.get(`/v1/payments/${id}/timeline`);
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
