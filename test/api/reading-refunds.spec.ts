import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import type { System } from '#testing/system.js';
import { expectProblem } from '../contract/expectations.js';
import { type StepsWorld, startStepsWorld } from './steps-world.js';

let world: StepsWorld;
let system: System;
beforeAll(async () => {
  world = await startStepsWorld();
  ({ system } = world);
});
afterAll(() => system.close());

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
      const { json } = await world.refund(id, body, own, reader);
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
