import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

describe('reading payments', () => {
  let system: System;
  let client: ApiClient;
  const ids: string[] = [];
  const [key, order] = [randomUUID(), `order "7" é`];
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    client = await system.newClient();
    ids.push((await client.pay({ order_id: order }, key)).json.id);
    await system.advance(10_000);
    ids.push((await client.pay({ payment_method: 'pm_card_chargeDeclined' })).json.payment_id);
    await system.advance(10_000);
    for (let n = 0; n < 3; n++) ids.push((await client.pay()).json.id);
  });
  afterAll(() => system.close());

  async function listed(query: string): Promise<string[]> {
    const { json, status, text } = await client.get(`/v1/payments${query}`);
    expect(status, text).toBe(200);
    return json.data.map(({ id }: { id: string }) => id);
  }

  it('shows a payment as it is today', async () => {
    const { json } = await client.get(`/v1/payments/${ids[0]}`);
    expect(json).toMatchObject({
      id: ids[0],
      status: 'succeeded',
      amount_captured: 2500,
      order_id: order,
    });
  });

  it('finds what a key became, in either spelling', async () => {
    expect(await listed(`?idempotency_key=${key}`)).toEqual([ids[0]]);
    expect(await listed(`?idempotency_key=%22${key}%22`)).toEqual([ids[0]]);
    expect(await listed('?idempotency_key=never-used')).toEqual([]);
  });

  it('filters by order, status and created range', async () => {
    expect(await listed(`?order_id=${encodeURIComponent(order)}`)).toEqual([ids[0]]);
    expect(await listed('?status=failed')).toEqual([ids[1]]);
    const { json } = await client.get(`/v1/payments/${ids[1]}`);
    const at = encodeURIComponent(json.created_at);
    expect(await listed(`?created_before=${at}`)).toEqual([ids[0]]);
    expect(await listed(`?created_after=${at}`)).toEqual(ids.slice(2).reverse());
  });

  it('pages newest first, each payment once, with `next` null on the last page', async () => {
    const seen: string[] = [];
    let after = '';
    for (let page = 0; page < 4; page++) {
      const { json } = await client.get(`/v1/payments?limit=2${after}`);
      seen.push(...json.data.map(({ id }: { id: string }) => id));
      if (json.next === null) break;
      after = `&after=${json.next}`;
    }
    expect(seen).toEqual([...ids].reverse());
  });

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1e9'],
    ['limit', ''],
    ['after', 'nonsense'],
    ['status', 'paid'],
    ['created_after', 'yesterday'],
    ['created_before', '2026-02-30T00:00:00Z'],
    ['order_id', ''],
    ['order_id', '%00'],
    ['idempotency_key', ''],
    ['colour', 'red'],
    ['__proto__', 'x'],
    ['constructor', 'x'],
  ])('refuses %s=%s and names it', async (name, value) => {
    const { status, json } = await client.get(`/v1/payments?${name}=${value}`);
    expect([status, json.code, json.param]).toEqual([400, 'validation_failed', name]);
  });

  it('refuses a parameter that is given twice', async () => {
    const { status, json } = await client.get('/v1/payments?status=failed&status=succeeded');
    expect([status, json.param]).toEqual([400, 'status']);
  });

  it.each(['nonsense', '01a233e7-08f5-7c76-a614-c3a439d6d050', 'x'.repeat(99)])(
    'has no payment %s',
    async (id) => {
      for (const path of [`/v1/payments/${id}`, `/v1/payments/${id}/timeline`]) {
        const { status, json } = await client.get(path);
        expect([status, json.code]).toEqual([404, 'payment_not_found']);
      }
    },
  );

  it('tells a pending payment’s reason, and its whole story once it is final', async () => {
    const first = await client.pay({ payment_method: 'pm_test_lose_response' });
    expect(first.status).toBe(202);
    const pending = await client.get(`/v1/payments/${first.json.id}`);
    expect(pending.json).toMatchObject({ status: 'pending', unresolved: first.json.unresolved });
    await system.advance(2_000);
    await system.sweep();
    const { json } = await client.get(`/v1/payments/${first.json.id}/timeline`);
    const steps = json.data.map(
      ({ kind, attempt_no }: { kind: string; attempt_no: number | null }) =>
        attempt_no === null ? kind : `${kind} ${attempt_no}`,
    );
    expect(steps).toEqual([
      'claimed',
      'attempt_opened 1',
      'attempt_unknown 1',
      'taken_over 2',
      'attempt_opened 2',
      'attempt_succeeded 2',
      'payment.succeeded',
      'answer_saved',
    ]);
    const requestId = first.headers.get('request-id');
    expect(json.data[0].request_id).toBe(requestId);
    expect(json.data[3].request_id).toMatch(/^wrk_/);
    const instants = json.data.map(({ at }: { at: string }) => at);
    const inOrder = [...instants].sort((a: string, b: string) => a.localeCompare(b));
    expect(instants).toEqual(inOrder);
  });

  it('needs the right to read', async () => {
    const writer = await system.newClient({ scopes: ['payments:write'] });
    const { status, json } = await writer.get('/v1/payments');
    expect([status, json.code]).toEqual([403, 'forbidden']);
  });
});
