import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { expectProblem, expectReplay } from '../contract/expectations.js';

const DAY_MS = 86_400_000;

let system: System;
let client: ApiClient;
beforeAll(async () => {
  system = await startSystem({ bendTime: true });
  client = system.client;
});
afterAll(() => system.close());

async function pay(body: object = {}): Promise<string> {
  const { status, json, text } = await client.pay(body);
  expect(status, text).toBe(201);
  return json.id;
}

const refund = (id: string, body?: object, key?: string, by: ApiClient = client) =>
  by.post(`/v1/payments/${id}/refunds`, body, key);
const read = async (id: string) => (await client.get(`/v1/payments/${id}`)).json;
const readRefund = async (id: string) => (await client.get(`/v1/refunds/${id}`)).json;
const reserved = async (id: string) =>
  (await system.owner.query('SELECT amount_reserved::int FROM payments WHERE id = $1', [id]))
    .rows[0].amount_reserved;

/** What the processor's book and our ledger say was given back of a payment. */
async function given(id: string): Promise<{ there: number[]; here: number[] }> {
  const { processor } = await read(id);
  const lines = await system.booked('refund');
  const { rows } = await system.owner.query(
    `SELECT amount::int FROM ledger_entries WHERE payment_id = $1 AND entry_kind = 'refund'
      ORDER BY id`,
    [id],
  );
  return {
    there: lines.filter(({ parent }) => parent === processor.id).map(({ amount }) => amount),
    here: rows.map(({ amount }) => amount),
  };
}

describe('POST /v1/payments/{id}/refunds', () => {
  it('gives back a part: 201, the refund, where it is found', async () => {
    const id = await pay();
    const answer = await refund(id, { amount: 1000, currency: 'myr', reason: 'returned: 靴' });
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
    expect(await readRefund(answer.json.id)).toEqual(answer.json);
    const after = { status: 'succeeded', amount_captured: 2500, amount_refunded: 1000 };
    expect(await read(id)).toMatchObject({ ...after, unresolved: null });
    expect(await given(id)).toEqual({ there: [1000], here: [1000] });
  });

  it('gives back the rest where no amount is named, also without any body', async () => {
    const id = await pay();
    expect((await refund(id, { amount: 900 })).json).toMatchObject({ amount: 900, reason: null });
    const key = randomUUID();
    const rest = await refund(id, undefined, key);
    expect([rest.status, rest.json.amount]).toEqual([201, 1600]);
    expectReplay(await refund(id, {}, key), rest);
    expect((await read(id)).amount_refunded).toBe(2500);
    expect(await given(id)).toEqual({ there: [900, 1600], here: [900, 1600] });
  });

  it('gives back what a partial capture took, and no more', async () => {
    const id = await pay({ capture: 'manual' });
    await client.post(`/v1/payments/${id}/capture`, { amount: 700 });
    const more = await refund(id, { amount: 701 });
    expectProblem(more, { code: 'refund_exceeds_remaining', param: 'amount' });
    expect(more.json.remaining).toBe(700);
    expect((await refund(id)).json.amount).toBe(700);
  });

  it('again with the same key gets the same bytes, whatever came since', async () => {
    const id = await pay();
    const key = randomUUID();
    const first = await refund(id, { amount: 1000 }, key);
    expectReplay(await refund(id, { amount: 1000 }, key), first);
    await refund(id);
    expectReplay(await refund(id, { amount: 1000 }, key), first);
    expect((await given(id)).there).toEqual([1000, 1500]);
  });

  it('refuses the key for another body, another route and another payment', async () => {
    const [id, other] = [await pay(), await pay()];
    const key = randomUUID();
    await refund(id, { amount: 1000 }, key);
    const reused = [
      await refund(id, { amount: 1001 }, key),
      await refund(id, { amount: 1000, reason: 'x' }, key),
      await refund(id, undefined, key),
      await refund(other, { amount: 1000 }, key),
      await refund('nonsense', { amount: 1000 }, key),
      await client.post(`/v1/payments/${id}/capture`, { amount: 1000 }, key),
      await client.pay({}, key),
    ];
    for (const answer of reused) expectProblem(answer, { code: 'idempotency_key_reused', key });
    expect(await given(other)).toEqual({ there: [], here: [] });
  });

  it('refuses the key of a payment', async () => {
    const key = randomUUID();
    const { json } = await client.pay({}, key);
    expectProblem(await refund(json.id, {}, key), { code: 'idempotency_key_reused', key });
  });

  it('needs a key, spelt as everywhere', async () => {
    const path = `/v1/payments/${await pay()}/refunds`;
    expectProblem(await client.send('POST', path, {}), { code: 'idempotency_key_missing' });
    expectProblem(await client.post(path, undefined, 'a,b'), { code: 'idempotency_key_invalid' });
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
    const id = await pay();
    const key = randomUUID();
    expectProblem(await refund(id, body, key), { code: 'validation_failed', param, key });
    expect((await refund(id, { reason: 'x'.repeat(500) }, key)).status).toBe(201);
  });

  it('refuses what is no JSON, texts that cannot be kept, and other media types', async () => {
    const path = `/v1/payments/${await pay()}/refunds`;
    const send = (body: string, type = 'application/json') =>
      client.send('POST', path, {
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

  it('refuses more than is left, and says how much that is', async () => {
    const id = await pay();
    await refund(id, { amount: 1000 });
    const key = randomUUID();
    const answer = await refund(id, { amount: 1501 }, key);
    expectProblem(answer, { code: 'refund_exceeds_remaining', param: 'amount', key });
    expect(answer.json).toMatchObject({ payment_id: id, remaining: 1500 });
    expect((await refund(id, { amount: 1500 }, key)).status).toBe(201);
  });

  it.each([{}, { amount: 1 }])('refuses %o once all is given back', async (body) => {
    const id = await pay();
    await refund(id);
    const answer = await refund(id, body);
    expectProblem(answer, { code: 'already_refunded' });
    expect(answer.json).toMatchObject({ payment_id: id, remaining: 0 });
    expect((await given(id)).there).toEqual([2500]);
  });

  it('refuses another currency', async () => {
    const id = await pay();
    const answer = await refund(id, { amount: 1000, currency: 'usd' });
    expectProblem(answer, { code: 'currency_mismatch', param: 'currency' });
    expect(answer.json.payment_id).toBe(id);
  });

  it('refuses what the processor cannot carry in this currency', async () => {
    const id = await pay({ currency: 'kwd' });
    const answer = await refund(id, { amount: 1234 });
    expectProblem(answer, { code: 'amount_not_representable', param: 'amount' });
    expect((await refund(id, { amount: 1230 })).status).toBe(201);
  });

  it.each<{ state: string; bring: () => Promise<string> }>([
    {
      state: 'pending',
      bring: async () => {
        const { json } = await client.pay({}, randomUUID(), { prefer: 'respond-async' });
        return json.id;
      },
    },
    {
      state: 'failed',
      bring: async () =>
        (await client.pay({ payment_method: 'pm_card_chargeDeclined' })).json.payment_id,
    },
    { state: 'authorized', bring: () => pay({ capture: 'manual' }) },
    {
      state: 'canceled',
      bring: async () => {
        const id = await pay({ capture: 'manual' });
        expect((await client.post(`/v1/payments/${id}/cancel`)).status).toBe(200);
        return id;
      },
    },
  ])('refuses a payment that is $state', async ({ state, bring }) => {
    const id = await bring();
    const answer = await refund(id);
    expectProblem(answer, { code: 'payment_not_refundable' });
    expect(answer.json).toMatchObject({ payment_id: id, payment_status: state });
  });

  it('asks the processor first about a payment that nobody knows the end of', async () => {
    const { status, json } = await client.pay({ payment_method: 'pm_test_lose_response' });
    expect(status).toBe(202);
    await system.advance(2_000);
    const answer = await refund(json.id, { amount: 1000 });
    expect(answer.status, answer.text).toBe(201);
    expect(await read(json.id)).toMatchObject({ status: 'succeeded', amount_refunded: 1000 });
  });

  it('refuses what a dispute has taken, and gives back what it has not', async () => {
    const id = await pay();
    await system.owner.query('UPDATE payments SET amount_disputed = 2000 WHERE id = $1', [id]);
    const disputed = await refund(id, { amount: 501 });
    expectProblem(disputed, { code: 'payment_disputed' });
    expect(disputed.json).toMatchObject({ payment_id: id, remaining: 500 });
    expect((await refund(id)).json.amount).toBe(500);
    expectProblem(await refund(id), { code: 'payment_disputed' });
    expect((await given(id)).here).toEqual([500]);
  });

  it('knows no payment of another account, nor one that cannot be', async () => {
    const id = await pay();
    const stranger = await system.newClient();
    const key = randomUUID();
    for (const named of [id, 'nonsense']) {
      const answer = await refund(named, {}, key, stranger);
      expectProblem(answer, { code: 'payment_not_found', key });
    }
    expect((await stranger.pay({}, key)).status).toBe(201);
    expect((await refund(id, {}, key)).status).toBe(201);
  });

  it('needs the right to write', async () => {
    const reader = await system.newClient({ scopes: ['payments:read'] });
    expectProblem(await refund(await pay(), {}, randomUUID(), reader), { code: 'forbidden' });
  });

  it('that the processor refuses is 402, saved, and holds nothing', async () => {
    const id = await pay({ payment_method: 'pm_test_refund_refused' });
    const key = randomUUID();
    const first = await refund(id, { amount: 1000, reason: '4242424242424242' }, key);
    expectProblem(first, { code: 'refund_failed', key });
    expect(first.json).toMatchObject({
      payment_id: id,
      decline_code: 'generic_decline',
      refund: { status: 'failed', failure: { code: 'refund_declined' } },
    });
    expect(first.text).not.toContain('4242424242424242');
    expectReplay(await refund(id, { amount: 1000, reason: '4242424242424242' }, key), first);
    const { status, failure, reason } = await readRefund(first.json.refund_id);
    expect([status, failure.code]).toEqual(['failed', 'refund_declined']);
    expect(reason).toBe('4242424242424242'); // the caller's own words, to the caller
    expect([await reserved(id), (await read(id)).amount_refunded]).toEqual([0, 0]);
    expect(await given(id)).toEqual({ there: [], here: [] });
  });

  it('that the processor takes its time over is 201 and pending, and holds its amount', async () => {
    const id = await pay({ payment_method: 'pm_card_pendingRefund' });
    const key = randomUUID();
    const first = await refund(id, { amount: 1000 }, key);
    expect([first.status, first.json.status, first.json.settled_at]).toEqual([
      201,
      'pending',
      null,
    ]);
    expectReplay(await refund(id, { amount: 1000 }, key), first);
    expect(await readRefund(first.json.id)).toEqual(first.json);
    expect(await read(id)).toMatchObject({ amount_refunded: 0, unresolved: null });
    const more = await refund(id, { amount: 1501 });
    expectProblem(more, { code: 'refund_exceeds_remaining', param: 'amount' });
    expect(more.json.remaining).toBe(1500);
  });

  it('is 202 while nobody knows, and holds its amount until somebody does', async () => {
    const id = await pay();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const key = randomUUID();
    const first = await refund(id, { amount: 1000 }, key);
    expect([first.status, first.json.object, first.json.status]).toEqual([
      202,
      'refund',
      'pending',
    ]);
    expect(first.headers.get('location')).toBe(`/v1/refunds/${first.json.id}`);
    expect(first.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await refund(id, { amount: 1501 })).json.remaining).toBe(1500);
    expect(await read(id)).toMatchObject({ amount_refunded: 0, unresolved: null });
    const again = await refund(id, { amount: 1000 }, key);
    expect([again.status, again.json.id], again.text).toEqual([201, first.json.id]);
    expect(await given(id)).toEqual({ there: [1000], here: [1000] });
  });

  it('that is unknown is looked up before it is read', async () => {
    const id = await pay();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const { status, json } = await refund(id, { amount: 1000 });
    expect(status).toBe(202);
    await system.advance(2_000);
    expect(await readRefund(json.id)).toMatchObject({ id: json.id, status: 'succeeded' });
    expect((await read(id)).amount_refunded).toBe(1000);
  });

  it('that was never sent is 503, holds nothing, and fits or not when its caller comes again', async () => {
    const id = await pay();
    await system.mockClient.faults({ fault: 'busy', times: 1 });
    const key = randomUUID();
    const first = await refund(id, { amount: 2000 }, key);
    expectProblem(first, { code: 'processor_unavailable', key });
    expect([await reserved(id), (await read(id)).unresolved]).toEqual([0, null]);

    expect((await refund(id, { amount: 1000 })).status).toBe(201);
    const late = await refund(id, { amount: 2000 }, key);
    expectProblem(late, { code: 'refund_exceeds_remaining', param: 'amount', key });
    expect(late.json.remaining).toBe(1500);
    expect((await given(id)).there).toEqual([1000]);

    const ofKey = await client.get(`/v1/refunds?idempotency_key=${key}`);
    expect(ofKey.json.data).toMatchObject([{ status: 'pending', amount: 2000 }]);
    await system.advance(7 * DAY_MS);
    const end = await refund(id, { amount: 2000 }, key);
    expectProblem(end, { code: 'refund_failed', key });
    expect(end.json.refund.failure.code).toBe('not_sent');
    expect(await readRefund(ofKey.json.data[0].id)).toMatchObject({ status: 'failed' });
  });

  it('knows a caller who waits so long and no longer, and no respond-async', async () => {
    const path = `/v1/payments/${await pay()}/refunds`;
    const key = randomUUID();
    const first = await client.post(path, { amount: 1 }, key, { prefer: 'wait=0' });
    expect(first.headers.get('preference-applied')).toBe('wait=0');
    expect([202, 503]).toContain(first.status); // whether it had been sent by then is a race
    await system.core.deps.background.idle();
    expect((await client.post(path, { amount: 1 }, key)).status).toBe(201);
    const async = await client.post(path, {}, randomUUID(), { prefer: 'respond-async' });
    expect([async.status, async.headers.get('preference-applied')]).toEqual([201, null]);
  });
});

describe('reading refunds', () => {
  let reader: ApiClient;
  let payments: string[];
  const made: { id: string; created_at: string }[] = [];
  const key = randomUUID();
  beforeAll(async () => {
    reader = await system.newClient();
    payments = await Promise.all(
      ['pm_123', 'pm_test_refund_refused', 'pm_card_pendingRefund'].map(
        async (payment_method) => (await reader.pay({ payment_method })).json.id,
      ),
    );
    const [plain = '', refused = '', slow = ''] = payments;
    const steps: [string, object, string][] = [
      [plain, { amount: 100 }, key],
      [refused, { amount: 200 }, randomUUID()],
      [slow, { amount: 300 }, randomUUID()],
      [plain, { amount: 400 }, randomUUID()],
    ];
    for (const [id, body, own] of steps) {
      const { json } = await refund(id, body, own, reader);
      made.push(json.refund ?? json);
      await system.advance(10_000);
    }
  });

  async function listed(query: string, by: ApiClient = reader): Promise<string[]> {
    const { json, status, text } = await by.get(`/v1/refunds${query}`);
    expect(status, text).toBe(200);
    return json.data.map(({ id }: { id: string }) => id);
  }
  const ids = (...at: number[]) => at.map((nth) => made[nth]?.id);

  it('lists them newest first, each as it is read alone', async () => {
    const { json } = await reader.get('/v1/refunds');
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual(ids(3, 2, 1, 0));
    expect(json.next).toBeNull();
    for (const one of json.data) {
      expect((await reader.get(`/v1/refunds/${one.id}`)).json).toEqual(one);
    }
  });

  it('filters by payment, status, key and time', async () => {
    expect(await listed(`?payment_id=${payments[0]}`)).toEqual(ids(3, 0));
    expect(await listed(`?payment_id=${randomUUID()}`)).toEqual([]);
    expect(await listed('?status=succeeded')).toEqual(ids(3, 0));
    expect(await listed('?status=failed')).toEqual(ids(1));
    expect(await listed('?status=pending')).toEqual(ids(2));
    expect(await listed(`?status=failed&payment_id=${payments[0]}`)).toEqual([]);
    expect(await listed(`?idempotency_key=${key}`)).toEqual(ids(0));
    expect(await listed(`?idempotency_key=%22${key}%22`)).toEqual(ids(0));
    expect(await listed('?idempotency_key=never-used')).toEqual([]);
    const at = encodeURIComponent(made[1]?.created_at ?? '');
    expect(await listed(`?created_after=${at}`)).toEqual(ids(3, 2));
    expect(await listed(`?created_before=${at}`)).toEqual(ids(0));
  });

  it('does not take a payment for the refund of its key', async () => {
    const own = randomUUID();
    await reader.pay({}, own);
    expect(await listed(`?idempotency_key=${own}`)).toEqual([]);
  });

  it('pages, each refund once, with `next` null on the last page', async () => {
    const first = (await reader.get('/v1/refunds?limit=3')).json;
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids(3, 2, 1));
    const last = (await reader.get(`/v1/refunds?limit=3&after=${first.next}`)).json;
    expect(last.data.map(({ id }: { id: string }) => id)).toEqual(ids(0));
    expect(last.next).toBeNull();
  });

  it.each([
    ['limit', '0'],
    ['after', 'nonsense'],
    ['status', 'canceled'],
    ['payment_id', 'nonsense'],
    ['created_after', 'yesterday'],
    ['idempotency_key', ''],
    ['order_id', '1042'],
    ['account_id', '01a233e6-aba2-79be-9656-082ea888f483'],
    ['constructor', 'x'],
  ])('refuses %s=%s and names it', async (name, value) => {
    const answer = await reader.get(`/v1/refunds?${name}=${value}`);
    expectProblem(answer, { code: 'validation_failed', param: name });
  });

  it.each(['nonsense', '01a233e7-08f5-7c76-a614-c3a439d6d050'])('has no refund %s', async (id) => {
    expectProblem(await reader.get(`/v1/refunds/${id}`), { code: 'not_found' });
  });

  it('shows nothing of another account', async () => {
    const stranger = await system.newClient();
    expectProblem(await stranger.get(`/v1/refunds/${made[0]?.id}`), { code: 'not_found' });
    for (const query of ['', `?idempotency_key=${key}`, `?payment_id=${payments[0]}`]) {
      expect(await listed(query, stranger)).toEqual([]);
    }
  });

  it('shows operators of the same mode those of every account', async () => {
    const operator = await system.newOperator();
    const [one] = ids(2);
    expect((await operator.get(`/v1/refunds/${one}`)).json).toMatchObject({ id: one });
    expect(await listed(`?payment_id=${payments[0]}`, operator)).toEqual(ids(3, 0));
    expect(await listed(`?idempotency_key=${key}`, operator)).toEqual(ids(0));
    const { rows } = await system.owner.query('SELECT account_id FROM refunds WHERE id = $1', [
      one,
    ]);
    const whole = `?account_id=${rows[0].account_id}`;
    expect(await listed(`${whole}&limit=2`, operator)).toEqual(ids(3, 2));
    const live = await system.newOperator('Ann', 'live');
    expectProblem(await live.get(`/v1/refunds/${one}`), { code: 'not_found' });
    expect(await listed('', live)).toEqual([]);
  });

  it('needs the right to read', async () => {
    const writer = await system.newClient({ scopes: ['payments:write'] });
    expectProblem(await writer.get('/v1/refunds'), { code: 'forbidden' });
  });
});

describe('the timeline of a refunded payment', () => {
  it('tells each refund, and its own answer', async () => {
    const id = await pay({ payment_method: 'pm_test_refund_refused' });
    await refund(id, { amount: 1000 });
    const { json } = await client.get(`/v1/payments/${id}/timeline`);
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
