import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daysAhead, makePartitions } from '#postgres/daily-partitions.js';
import type { Answer, ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';

const ASYNC = { prefer: 'respond-async' };
const PROCESSOR_TIMEOUT_MS = '2000';
type Expected = { status: number; code?: string };
const DONE: Expected = { status: 200 };
const RUNNING: Expected = { status: 409, code: 'payment_in_progress' };
const FINAL: Expected = { status: 409, code: 'payment_not_cancelable' };

describe('a cancel', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true, env: { PROCESSOR_TIMEOUT_MS } });
  });
  afterAll(() => system.close());

  const byId = (id: string, key = randomUUID(), client: ApiClient = system.client) =>
    client.send('POST', `/v1/payments/${id}/cancel`, { headers: { 'idempotency-key': key } });
  const byKey = (key: string, client: ApiClient = system.client) =>
    client.send('POST', '/v1/cancellations', {
      body: JSON.stringify({ idempotency_key: key }),
      headers: { 'content-type': 'application/json' },
    });
  const statusOf = async (id: string) =>
    (await system.owner.query('SELECT status FROM payments WHERE id = $1', [id])).rows[0].status;

  /** Brings a key into a state. `ended`: what still runs, to be awaited. */
  const bring: Record<string, (key: string) => Promise<{ id: string; ended?: Promise<Answer> }>> = {
    queued: async (key) => ({ id: (await system.client.pay({}, key, ASYNC)).json.id }),
    released: async (key) => pay(key, 'pm_test_busy'),
    running: async (key) => {
      const ended = system.client.pay({ payment_method: 'pm_test_slow_1000' }, key);
      await until(async () => (await idOf(key)) !== undefined);
      return { id: (await idOf(key)) ?? '', ended };
    },
    unknown: async (key) => pay(key, 'pm_test_lose_request'),
    begun: async (key) => {
      const body = { payment_method: 'pm_test_lose_request' };
      const { json } = await system.client.pay(body, key, ASYNC);
      await system.sweep(); // it was queued, and a worker has sent it
      return { id: json.id };
    },
    succeeded: async (key) => pay(key, 'pm_123'),
    failed: async (key) => pay(key, 'pm_card_chargeDeclined'),
    canceled: async (key) => {
      const { json } = await system.client.pay({}, key, ASYNC);
      expect((await byId(json.id)).status).toBe(200);
      return { id: json.id };
    },
  };

  const STATES: { state: string; id: Expected; key: Expected }[] = [
    { state: 'queued', id: DONE, key: DONE },
    { state: 'released', id: DONE, key: DONE },
    { state: 'running', id: RUNNING, key: RUNNING },
    { state: 'unknown', id: RUNNING, key: RUNNING },
    { state: 'begun', id: RUNNING, key: RUNNING },
    { state: 'succeeded', id: FINAL, key: FINAL },
    { state: 'failed', id: FINAL, key: FINAL },
    { state: 'canceled', id: FINAL, key: DONE }, // by key it is the same cancellation again
  ];

  it.each(STATES.flatMap((row) => (['id', 'key'] as const).map((by) => ({ ...row, by }))))(
    'by $by meets a payment that is $state',
    async ({ state, by, ...expected }) => {
      const key = randomUUID();
      const { id, ended } = await bring[state]!(key);
      const before = await statusOf(id);
      const answer = await (by === 'id' ? byId(id) : byKey(key));
      const { status, code } = expected[by];
      expect([answer.status, answer.json.code], answer.text).toEqual([status, code]);
      await ended;
      if (status !== 200) {
        expect(answer.json.payment_id).toBe(id);
        if (state !== 'running') expect(await statusOf(id)).toBe(before);
        return;
      }
      expect(by === 'id' ? answer.json.id : answer.json.payment_id).toBe(id);
      expect(await statusOf(id)).toBe('canceled');
      const late = await system.client.pay({}, key);
      expect([late.status, late.json.code]).toEqual([409, 'idempotency_key_canceled']);
      expect(late.json.payment_id).toBe(id);
      const { json } = await system.client.get(`/v1/payments/${id}`);
      expect([json.status, json.unresolved, json.failure]).toEqual(['canceled', null, null]);
    },
  );

  it('of another account finds nothing by id, and by key buries a key of its own', async () => {
    const stranger = await system.newClient();
    const key = randomUUID();
    const { json } = await system.client.pay({}, key, ASYNC);
    const refused = await byId(json.id, randomUUID(), stranger);
    expect([refused.status, refused.json.code]).toEqual([404, 'payment_not_found']);
    const nobody = await byId(randomUUID());
    expect([nobody.status, nobody.json.detail]).toEqual([404, refused.json.detail]);
    expect((await byKey(key, stranger)).json.payment_id).toBeNull();
    expect((await stranger.pay({}, key)).json.code).toBe('idempotency_key_canceled');
    expect((await system.settle(json.id)).json.status).toBe('succeeded');
  });

  it('by id has a key of its own: replayed, refused for another payment, and expired', async () => {
    const cancelWith = randomUUID();
    const [one, other] = [
      await bring['queued']!(randomUUID()),
      await bring['queued']!(randomUUID()),
    ];
    const first = await byId(one.id, cancelWith);
    const claimed = first.headers.get('request-id');
    const replay = await byId(one.id, cancelWith);
    expect([replay.status, replay.text]).toEqual([200, first.text]);
    expect(replay.headers.get('original-request')).toBe(claimed);
    const reused = await byId(other.id, cancelWith);
    expect([reused.status, reused.json.code]).toEqual([422, 'idempotency_key_reused']);
    expect((await system.client.pay({}, cancelWith)).json.code).toBe('idempotency_key_reused');
    const named = await byKey(cancelWith);
    expect([named.status, named.json.code]).toEqual([409, 'payment_not_cancelable']);
    expect(await statusOf(other.id)).toBe('pending');
    await system.owner.query('DELETE FROM saved_answers WHERE body = $1', [
      Buffer.from(first.text),
    ]);
    const late = await byId(one.id, cancelWith);
    expect([late.status, late.json.code, late.json.payment_id]).toEqual([
      409,
      'idempotency_key_expired',
      one.id,
    ]);
  });

  it('by id under the key of a canceled payment is told that the key is canceled', async () => {
    const key = randomUUID();
    await bring['canceled']!(key);
    const { id } = await bring['queued']!(randomUUID());
    const refused = await byId(id, key);
    expect([refused.status, refused.json.code]).toEqual([409, 'idempotency_key_canceled']);
    expect(await statusOf(id)).toBe('pending');
  });

  it('that is refused leaves its own key unused', async () => {
    const cancelWith = randomUUID();
    const { id } = await bring['unknown']!(randomUUID());
    expect((await byId(id, cancelWith)).json.code).toBe('payment_in_progress');
    expect((await system.client.pay({}, cancelWith)).status).toBe(201);
  });

  it('sent four times at once under one key is one cancel, and all hear the same', async () => {
    for (let round = 0; round < 10; round++) {
      const cancelWith = randomUUID();
      const { id } = await bring['queued']!(randomUUID());
      const all = await Promise.all([1, 2, 3, 4].map(() => byId(id, cancelWith)));
      expect(all.map(({ status, json }) => json.code ?? status)).toEqual([200, 200, 200, 200]);
      expect(new Set(all.map(({ text }) => text)).size).toBe(1);
      const { rows } = await system.owner.query(
        'SELECT type FROM outbox_events WHERE payment_id = $1',
        [id],
      );
      expect(rows).toEqual([{ type: 'payment.canceled' }]);
    }
  });

  it('at the key’s end loses to it or wins, and the slot is free either way', async () => {
    const [key, order_id] = [randomUUID(), randomUUID()];
    const { json } = await system.client.pay({ order_id }, key, ASYNC);
    await system.advance(7 * 86_400_000 + 1_000);
    await makePartitions(system.owner, 'saved_answers', await daysAhead(system.owner, 0, 1));
    const [canceled] = await Promise.all([byId(json.id), system.sweep()]);
    const end = await system.client.pay({ order_id }, key);
    expect([end.status, end.json.code]).toEqual(
      canceled.status === 200 ? [409, 'idempotency_key_canceled'] : [402, 'payment_not_charged'],
    );
    expect((await system.client.pay({ order_id })).status).toBe(201);
  });

  it.each([
    { against: 'an unseen request', first: false },
    { against: 'the retry of a released one', first: true },
  ])('by key races with $against: one wins, and both answers say so', async ({ first }) => {
    const won = { paid: 0, canceled: 0 };
    for (let round = 0; round < 20; round++) {
      const key = randomUUID();
      const body = { payment_method: first ? 'pm_test_busy' : 'pm_123' };
      if (first) expect((await system.client.pay(body, key)).status).toBe(503);
      const before = (await system.booked('charge')).length;
      const pays = () => system.client.pay(body, key);
      const cancels = () => byKey(key);
      const [canceled, paid] =
        round % 2 === 0
          ? await Promise.all([cancels(), pays()])
          : (await Promise.all([pays(), cancels()])).toReversed();
      const charged = (await system.booked('charge')).length - before;
      const said = [paid!.status, canceled!.status, paid!.json.code, charged];
      if (canceled!.status === 200) {
        expect(said).toEqual([409, 200, 'idempotency_key_canceled', 0]);
        won.canceled++;
      } else {
        expect(said).toEqual([201, 409, undefined, 1]);
        expect(canceled!.json.code).toMatch(/^payment_(in_progress|not_cancelable)$/);
        won.paid++;
      }
    }
    expect(won.paid + won.canceled).toBe(20);
  });

  it.each([
    { says: 'no key in the body', body: '{}' },
    { says: 'a key that cannot be one', body: '{"idempotency_key":"a,b"}' },
    { says: 'a key that is no text', body: '{"idempotency_key":7}' },
    { says: 'a member too many', body: '{"idempotency_key":"a","x":1}' },
    { says: 'no object', body: '[]' },
  ])('by key is refused for $says', async ({ body }) => {
    const headers = { 'content-type': 'application/json' };
    const refused = await system.client.send('POST', '/v1/cancellations', { body, headers });
    expect([refused.status, refused.json.code]).toEqual([400, 'validation_failed']);
  });

  async function pay(key: string, method: string): Promise<{ id: string }> {
    const { json } = await system.client.pay({ payment_method: method }, key);
    return { id: json.id ?? json.payment_id };
  }

  async function idOf(key: string): Promise<string | undefined> {
    return (await system.client.get(`/v1/payments?idempotency_key=${key}`)).json.data[0]?.id;
  }
});
