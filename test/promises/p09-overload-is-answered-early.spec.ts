import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseGate } from '#testing/database-gate.js';
import type { Answer } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

describe('P9: an account over its limits is told so early', () => {
  let system: System;
  beforeAll(async () => {
    const env = { ACCOUNT_IN_FLIGHT_MAX: '2', ACCOUNT_NEW_KEYS_PER_MINUTE: '5' };
    system = await startSystem({ env });
  });
  afterAll(() => system.close());

  it('too many in flight: 429, nothing stored; a finished key replays all the same', async () => {
    const client = await system.newClient();
    const done = randomUUID();
    const first = await client.pay({}, done);
    const slow = [1, 2].map(() => client.pay({ payment_method: 'pm_test_slow_1500' }));
    const key = randomUUID();
    await expect.poll(async () => (await client.pay({}, key)).status).toBe(429);
    expectTurnedAway(await client.pay({}, key), 'rate_limited');
    expect((await client.get(`/v1/payments?idempotency_key=${key}`)).json.data).toEqual([]);
    expect((await client.pay({}, done)).text).toBe(first.text);
    await Promise.all(slow);
    expect((await client.pay({}, key)).status).toBe(201);
  });

  it('too many new keys in a minute: 429, and a finished key replays all the same', async () => {
    const client = await system.newClient();
    const keys = Array.from({ length: 5 }, () => randomUUID());
    for (const key of keys) expect((await client.pay({}, key)).status).toBe(201);
    const turned = await client.pay();
    expectTurnedAway(turned, 'rate_limited');
    expect(Number(turned.headers.get('retry-after'))).toBeGreaterThanOrEqual(12);
    for (const key of keys) {
      const again = await client.pay({}, key);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    }
  });
});

describe('P9: without its database the service says so at once', () => {
  let gate: DatabaseGate;
  let system: System;
  beforeAll(async () => {
    gate = await DatabaseGate.start();
    system = await startSystem({ appUrl: (url) => gate.through(url) });
  });
  afterAll(async () => {
    await system.close();
    await gate.close();
  });

  it('503 with Retry-After, nothing charged; the same request runs when it is back', async () => {
    const key = randomUUID();
    expect((await system.client.pay()).status).toBe(201);
    gate.shut();
    const startedAt = performance.now();
    expectTurnedAway(await system.client.pay({}, key), 'database_unavailable');
    expectTurnedAway(await system.client.get('/v1/payments'), 'database_unavailable');
    expectTurnedAway(await system.client.get('/health/ready'), 'database_unavailable');
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect((await system.client.get('/health/live')).status).toBe(200);
    expect(await system.booked('charge')).toHaveLength(1);
    gate.reopen();
    expect((await system.client.pay({}, key)).status).toBe(201);
    expect(await system.booked('charge')).toHaveLength(2);
  });
});

function expectTurnedAway(answer: Answer, code: string): void {
  expect(answer.json?.code, answer.text).toBe(code);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(answer.json.retryable).toBe(true);
}
