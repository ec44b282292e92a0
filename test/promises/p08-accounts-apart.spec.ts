import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

let system: System;
let one: ApiClient;
let other: ApiClient;
beforeAll(async () => {
  system = await startSystem({ env: { ACCOUNT_IN_FLIGHT_MAX: '2' } });
  one = system.client;
  other = await system.newClient();
});
afterAll(() => system.close());

describe("P8: one account never sees, replays or blocks another's", () => {
  it('the same key and body are two payments, under two keys at the processor', async () => {
    const key = randomUUID();
    const [mine, theirs] = [await one.pay({}, key), await other.pay({}, key)];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.json.id).not.toBe(mine.json.id);
    expect(theirs.headers.get('idempotent-replayed')).toBeNull();
    const used = (await system.booked('charge')).map(
      ({ idempotency_key: processorKey }) => processorKey,
    );
    expect(new Set(used).size).toBe(used.length);
  });

  it('the same key with another body is no conflict', async () => {
    const key = randomUUID();
    expect((await one.pay({ amount: 1 }, key)).status).toBe(201);
    expect((await other.pay({ amount: 2 }, key)).status).toBe(201);
  });

  it('the same order is no conflict', async () => {
    const order_id = randomUUID();
    expect((await one.pay({ order_id })).status).toBe(201);
    expect((await other.pay({ order_id })).status).toBe(201);
  });

  it('"not yours" and "not there" are one answer', async () => {
    const { json } = await one.pay();
    for (const suffix of ['', '/timeline']) {
      const theirs = await other.get(`/v1/payments/${json.id}${suffix}`);
      const absent = await other.get(`/v1/payments/${unseen(json.id)}${suffix}`);
      expect(theirs.status).toBe(404);
      expect(shape(theirs.json)).toEqual(shape(absent.json));
      expect([...theirs.headers.keys()]).toEqual([...absent.headers.keys()]);
    }
  });

  it('lists and filters show nothing of another account', async () => {
    const stranger = await system.newClient();
    const key = randomUUID();
    const { json } = await one.pay({ order_id: key }, key);
    for (const query of ['', `?idempotency_key=${key}`, `?order_id=${key}`, '?status=succeeded']) {
      expect((await stranger.get(`/v1/payments${query}`)).json).toEqual({ data: [], next: null });
    }
    const page = await stranger.get(`/v1/payments?after=${json.id}`);
    expect(page.json.data).toEqual([]);
  });

  it("a full account turns its own away, and nobody else's", async () => {
    const slow = [1, 2].map(() => one.pay({ payment_method: 'pm_test_slow_1500' }));
    await expect.poll(async () => (await one.pay()).status).toBe(429);
    expect((await other.pay()).status).toBe(201);
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([201, 201]);
  });
});

/** An id of the right form that nobody has. */
function unseen(id: string): string {
  return id.slice(0, -12) + '000000000000';
}

function shape(problem: Record<string, unknown>): Record<string, unknown> {
  return { ...problem, request_id: null };
}
