import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hashKey } from '#idempotency/processor-key.js';
import { RecordingProxy } from '#testing/recording-proxy.js';
import { type System, startSystem } from '#testing/system.js';

let processor: RecordingProxy;
let system: System;
beforeAll(async () => {
  processor = await RecordingProxy.start();
  system = await startSystem({
    bendTime: true,
    env: { PROCESSOR_TIMEOUT_MS: '2000', STRIPE_API_BASE: processor.url },
  });
  processor.target = system.mock.url;
  // Our account at the processor is known from here on.
  const known = async () => expect((await system.client.pay()).status).toBe(201);
  await vi.waitFor(known, { timeout: 30_000 });
});
afterAll(async () => {
  await system.close();
  await processor.close();
});

describe('P7: a failure in which nothing happened is never saved as the answer', () => {
  it('refused by validation: no row at all, and the fixed request runs', async () => {
    const key = randomUUID();
    expect((await system.client.pay({ amount: 0 }, key)).status).toBe(400);
    expect(await stateOf(key)).toBeUndefined();
    expect((await system.client.pay({}, key)).status).toBe(201);
  });

  it('the processor is not there: released, for six days and however often, then charged', async () => {
    const key = randomUUID();
    await processor.close();
    for (const day of [0, 1, 5]) {
      await system.advance(day * 86_400_000);
      const refused = await system.client.pay({}, key);
      expect(refused.status, refused.text).toBe(503);
      expect(refused.json.retryable).toBe(true);
      expect(await stateOf(key)).toBe('released');
    }
    await processor.open();
    await system.sweep();
    expect(await stateOf(key), 'a sweep sends no released work').toBe('released');
    const charged = await system.client.pay({}, key);
    expect(charged.status, charged.text).toBe(201);
    expect(charged.headers.get('idempotent-replayed')).toBeNull();
  });

  it('a limit of the processor: released, and the order is free for another key', async () => {
    const order = { order_id: randomUUID(), payment_method: 'pm_test_busy' };
    const key = randomUUID();
    expect((await system.client.pay(order, key)).status).toBe(503);
    expect(await stateOf(key)).toBe('released');
    expect((await system.client.pay({ order_id: order.order_id })).status).toBe(201);
    const late = await system.client.pay(order, key);
    expect(late.json.code).toBe('order_already_paid');
    expect(await stateOf(key)).toBe('released');
  });

  it('unknown is not nothing: a refusal after a lost answer keeps the payment pending', async () => {
    const key = randomUUID();
    const order = { payment_method: 'pm_test_lose_response' };
    expect((await system.client.pay(order, key)).status).toBe(202);
    await processor.close();
    expect((await system.client.pay(order, key)).status).toBe(202);
    expect(await stateOf(key)).toBe('started');
    await processor.open();
    expect((await system.client.pay(order, key)).status).toBe(201);
  });
});

async function stateOf(key: string): Promise<string | undefined> {
  const find = `SELECT k.state, a.status FROM idempotency_keys k
                  LEFT JOIN saved_answers a ON a.account_id = k.account_id AND a.key_hash = k.key_hash
                 WHERE k.key_hash = $1`;
  const { rows } = await system.owner.query(find, [hashKey(key)]);
  if (rows[0]?.state === 'released') expect(rows[0].status, 'an answer was saved').toBeNull();
  return rows[0]?.state;
}
