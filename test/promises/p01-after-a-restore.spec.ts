import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backUp, restore } from '#testing/back-up.js';
import { RecordingProxy } from '#testing/recording-proxy.js';
import { type System, startSystem } from '#testing/system.js';

let processor: RecordingProxy;
let system: System;
beforeAll(async () => {
  processor = await RecordingProxy.start();
  system = await startSystem({ env: { STRIPE_API_BASE: processor.url } });
  processor.target = system.mock.url;
});
afterAll(async () => {
  await system.close();
  await processor.close();
});

describe('P1: the database restored to before the claim', () => {
  it('derives the same key and the same bytes again, and adopts the charge that exists', async () => {
    const key = randomUUID();
    const order = { order_id: key, metadata: { a: '1' } };
    const backup = await backUp(system.database.url);
    const first = await system.client.pay(order, key);
    expect(first.status, first.text).toBe(201);
    await restore(system.database.url, backup);
    const forgotten = await system.client.get(`/v1/payments/${first.json.id}`);
    expect(forgotten.status).toBe(404);
    const again = await system.client.pay(order, key);
    expect(again.status, again.text).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(again.json.processor.id).toBe(first.json.processor.id);
    const [before, after] = processor.charges;
    expect(processor.charges).toHaveLength(2);
    expect(after?.headers['idempotency-key']).toBe(before?.headers['idempotency-key']);
    expect(after?.body).toBe(before?.body);
    expect(after?.headers['stripe-version']).toBe(before?.headers['stripe-version']);
    expect(before?.body, "the caller's own key goes nowhere").not.toContain(key);
    expect(await system.booked('charge')).toHaveLength(1);
  });
});
