import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '#testing/database-proxy.js';
import { type System, startSystem } from '#testing/system.js';
import { readBooks } from '#testing/three-books.js';

const ASYNC = { prefer: 'respond-async' };
const APPLIED = 'preference-applied';

describe('a preference', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  it.each([
    { prefer: 'respond-async, wait=9', status: 202, applied: 'respond-async' },
    { prefer: 'wait=9; foo=bar', status: 201, applied: 'wait=9' },
    { prefer: 'wait=999', status: 201, applied: 'wait=60' },
    { prefer: 'wait=abc', status: 201, applied: null },
    { prefer: 'foo="a, respond-async"', status: 201, applied: null },
  ])('"$prefer" is said to be applied if it was', async ({ prefer, status, applied }) => {
    const paid = await system.client.pay({}, randomUUID(), { prefer });
    expect([paid.status, paid.headers.get(APPLIED)]).toEqual([status, applied]);
  });

  it('for an asynchronous answer is not applied to what is answered at once', async () => {
    const key = randomUUID();
    const paid = await system.client.pay({ order_id: key }, key);
    const replay = await system.client.pay({ order_id: key }, key, ASYNC);
    expect([replay.status, replay.text, replay.headers.get(APPLIED)]).toEqual([
      201,
      paid.text,
      null,
    ]);
    const reused = await system.client.pay({ order_id: 'another' }, key, ASYNC);
    expect([reused.status, reused.headers.get(APPLIED)]).toEqual([422, null]);
  });

  it('does not get another payment past the slot of an order', async () => {
    const order_id = randomUUID();
    const live = await system.client.pay({ order_id }, randomUUID(), ASYNC);
    const second = randomUUID();
    for (const headers of [ASYNC, {}]) {
      const refused = await system.client.pay({ order_id }, second, headers);
      expect([refused.status, refused.json.code]).toEqual([409, 'payment_unresolved']);
      expect(refused.json.payment_id).toBe(live.json.id);
    }
    await system.settle(live.json.id);
    const late = await system.client.pay({ order_id }, second, ASYNC);
    expect([late.status, late.json.code]).toEqual([409, 'order_already_paid']);
    const { rows } = await system.owner.query('SELECT FROM payments WHERE order_id = $1', [
      order_id,
    ]);
    expect(rows).toHaveLength(1); // the second key is unused
  });

  it('leaves a released payment released when its order was taken meanwhile', async () => {
    const [order_id, key] = [randomUUID(), randomUUID()];
    const body = { order_id, payment_method: 'pm_test_busy' };
    const released = await system.client.pay(body, key);
    expect(released.status).toBe(503);
    expect((await system.client.pay({ order_id })).status).toBe(201);
    const refused = await system.client.pay(body, key, ASYNC);
    expect([refused.status, refused.json.code]).toEqual([409, 'order_already_paid']);
    const { rows } = await system.owner.query(
      'SELECT state FROM idempotency_keys WHERE payment_id = $1',
      [released.json.payment_id],
    );
    expect(rows).toEqual([{ state: 'released' }]);
  });
});

describe('a claim that is not heard of', () => {
  let system: System;
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    proxy = await startDatabaseProxy();
    system = await startSystem({ appUrl: (url) => proxy.urlFor(url) });
    await system.client.pay();
  });
  afterAll(async () => {
    await system.close();
    await proxy.close();
  });

  const books = (key: string) =>
    readBooks(
      { owner: system.owner, mockClient: system.mockClient, accountId: system.account.id },
      key,
    );

  it.each(['cut_before', 'cut_after'] as const)(
    '%s, and is queued: 202, and one charge',
    async (action) => {
      const key = randomUUID();
      const cut = proxy.plan({ statement: 'payments.claim', action });
      const queued = await system.client.pay({ order_id: key }, key, ASYNC);
      await cut;
      expect([queued.status, queued.headers.get(APPLIED)]).toEqual([202, 'respond-async']);
      const again = await system.client.pay({ order_id: key }, key);
      expect([again.status, again.text]).toEqual([202, queued.text]);
      expect((await books(key)).charges).toHaveLength(0);
      await system.settle(queued.json.id);
      expect((await books(key)).charges).toHaveLength(1);
    },
  );

  it('before the wait of its caller is over is released unsent, and its retry charges once', async () => {
    const key = randomUUID();
    const held = proxy.plan({ statement: 'payments.claim', action: 'hold' });
    const early = await system.client.pay({}, key, { prefer: 'wait=1' });
    await held;
    expect([early.status, early.json.code, early.json.payment_id]).toEqual([
      503,
      'overloaded',
      undefined,
    ]);
    await Promise.race([system.core.deps.background.idle(), pause(20_000)]);
    const released = await books(key);
    expect([released.key, released.charges]).toEqual([{ state: 'released' }, []]);
    expect(released.attempts.map(({ outcome }) => outcome)).toEqual(['not_sent']);
    expect((await system.client.pay({}, key)).status).toBe(201);
    expect((await books(key)).charges).toHaveLength(1);
  });

  it('is over, but an earlier run may have sent: the wait ends with 202', async () => {
    const key = randomUUID();
    const body = { payment_method: 'pm_test_error_not_charged' };
    for (const sent of [1, 2]) {
      // The error, and its replay: from now on the processor is only asked.
      expect((await system.client.pay(body, key)).status, `${sent}`).toBe(202);
    }
    await system.mockClient.faults({ fault: 'slow_4000' });
    const fromMs = performance.now();
    const early = await system.client.pay(body, key, { prefer: 'wait=1' });
    expect(performance.now() - fromMs).toBeLessThan(3_000);
    await system.mockClient.control('DELETE', 'faults');
    expect(early.status, early.text).toBe(202);
    await system.core.deps.background.idle();
  });
});
