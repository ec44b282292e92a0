import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

const ASYNC = { prefer: 'respond-async' };

describe('a queued payment', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  const cancel = (id: string, key = randomUUID()): Promise<Answer> =>
    system.client.send('POST', `/v1/payments/${id}/cancel`, {
      headers: { 'idempotency-key': key },
    });
  const cancelKey = (key: string): Promise<Answer> =>
    system.client.send('POST', '/v1/cancellations', {
      body: JSON.stringify({ idempotency_key: key }),
      headers: { 'content-type': 'application/json' },
    });

  it('is answered 202 at once, charged by the worker, and then replays', async () => {
    const key = randomUUID();
    const queued = await system.client.pay({}, key, ASYNC);
    expect([queued.status, queued.headers.get('preference-applied')]).toEqual([
      202,
      'respond-async',
    ]);
    expect(queued.json.unresolved).toContain('queued');
    expect(await system.booked('charge')).toHaveLength(0);
    const again = await system.client.pay({}, key);
    expect(again.status).toBe(202); // queued is queued, however it is asked for
    expect((await system.settle(queued.json.id)).json.status).toBe('succeeded');
    const replay = await system.client.pay({}, key);
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });

  it('is queued again, never released, when it could not be sent', async () => {
    const queued = await system.client.pay({ payment_method: 'pm_test_busy' }, randomUUID(), ASYNC);
    await system.sweep();
    const { json } = await system.client.get(`/v1/payments/${queued.json.id}`);
    expect(json.unresolved).toContain('queued');
    expect((await system.settle(queued.json.id)).json.status).toBe('succeeded');
  });

  it('can be canceled until it has begun; its key then says canceled, whatever the body', async () => {
    const [key, cancelWith] = [randomUUID(), randomUUID()];
    const order = randomUUID();
    const queued = await system.client.pay({ order_id: order }, key, ASYNC);
    const canceled = await cancel(queued.json.id, cancelWith);
    expect([canceled.status, canceled.json.status]).toEqual([200, 'canceled']);
    const replay = await cancel(queued.json.id, cancelWith);
    expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([
      canceled.text,
      'true',
    ]);
    for (const amount of [2500, 9900]) {
      const late = await system.client.pay({ order_id: order, amount }, key);
      expect([late.status, late.json.code]).toEqual([409, 'idempotency_key_canceled']);
    }
    expect((await system.client.pay({ order_id: order })).status).toBe(201); // the slot is free
    expect((await cancel(queued.json.id)).json.code).toBe('payment_not_cancelable');
    await system.advance(3_600_000);
    await system.sweep();
    expect((await system.client.get(`/v1/payments/${queued.json.id}`)).json.status).toBe(
      'canceled',
    );
  });

  it('races with the worker, and exactly one wins', async () => {
    const before = (await system.booked('charge')).length;
    const queued = await Promise.all(
      Array.from({ length: 12 }, () => system.client.pay({}, randomUUID(), ASYNC)),
    );
    const ids = queued.map(({ json }) => json.id as string);
    const [canceled] = await Promise.all([
      Promise.all(ids.map((id) => cancel(id))),
      system.sweep(),
    ]);
    const won = canceled.filter(({ status }) => status === 200).length;
    for (const { status, json } of canceled) {
      if (status !== 200) expect(json.code).toMatch(/payment_(in_progress|not_cancelable)/);
    }
    for (const id of ids) await system.settle(id);
    expect((await system.booked('charge')).length - before).toBe(ids.length - won);
  });

  it('cancels by key: queued, and a second time, and a key that nobody has seen', async () => {
    const key = randomUUID();
    const queued = await system.client.pay({}, key, ASYNC);
    const expected = { object: 'cancellation', status: 'canceled', payment_id: queued.json.id };
    expect((await cancelKey(key)).json).toEqual(expected);
    expect((await cancelKey(`"${key}"`)).json).toEqual(expected);
    const unseen = randomUUID();
    expect((await cancelKey(unseen)).json).toEqual({ ...expected, payment_id: null });
    const late = await system.client.pay({}, unseen);
    expect([late.status, late.json.code]).toEqual([409, 'idempotency_key_canceled']);
    const paid = randomUUID();
    await system.client.pay({}, paid);
    expect((await cancelKey(paid)).json.code).toBe('payment_not_cancelable');
  });

  it('is refused a cancel while something may have been sent', async () => {
    const unknown = await system.client.pay({ payment_method: 'pm_test_timeout_charged' });
    expect(unknown.status).toBe(202);
    const refused = await cancel(unknown.json.id);
    expect([refused.status, refused.json.code]).toEqual([409, 'payment_in_progress']);
  });

  it('turns a released payment into a queued one when its retry prefers that', async () => {
    const key = randomUUID();
    const body = { payment_method: 'pm_test_busy' };
    expect((await system.client.pay(body, key)).status).toBe(503);
    expect((await system.client.pay(body, key, ASYNC)).status).toBe(202);
    const { json } = await system.client.get(`/v1/payments?idempotency_key=${key}`);
    expect((await system.settle(json.data[0].id)).json.status).toBe('succeeded');
  });
});

describe('a caller who waits so long and no longer', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  it('gets the answer when it comes in time', async () => {
    const paid = await system.client.pay({}, randomUUID(), { prefer: 'wait=10' });
    expect([paid.status, paid.headers.get('preference-applied')]).toEqual([201, 'wait=10']);
  });

  it('gets 202 when it was sent, and the payment is finished without it', async () => {
    const key = randomUUID();
    const early = await system.client.pay({ payment_method: 'pm_test_slow_2500' }, key, {
      prefer: 'wait=1',
    });
    expect(early.status).toBe(202);
    await system.core.deps.background.idle();
    const replay = await system.client.pay({ payment_method: 'pm_test_slow_2500' }, key);
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });

  it('gets 503 when its wait ends before anything was sent, and nothing is', async () => {
    const key = randomUUID();
    const none = await system.client.pay({}, key, { prefer: 'wait=0' });
    expect(none.status).toBe(503);
    await system.core.deps.background.idle();
    expect(await system.booked('charge')).toHaveLength(2);
    expect((await system.client.pay({}, key)).status).toBe(201);
  });
});

describe('reading an unresolved payment', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  it('asks the processor first, at most once a second, and counts no try', async () => {
    const unknown = await system.client.pay({ payment_method: 'pm_test_error_charged' });
    const read = () => system.client.get(`/v1/payments/${unknown.json.id}`);
    expect((await read()).json.status).toBe('pending'); // within a second of the send
    await system.advance(1_000);
    expect((await read()).json.status).toBe('succeeded');
    const lost = await system.client.pay({ payment_method: 'pm_test_lose_request' });
    for (let second = 0; second < 12; second++) {
      await system.advance(1_000);
      await system.client.get(`/v1/payments/${lost.json.id}`);
    }
    const { rows } = await system.owner.query(
      'SELECT tries, review_at FROM unresolved WHERE payment_id = $1',
      [lost.json.id],
    );
    expect(rows).toEqual([{ tries: 1, review_at: null }]); // the send itself
    expect((await system.settle(lost.json.id)).json.status).toBe('succeeded');
  });
});

describe('a tombstone', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ env: { ACCOUNT_NEW_KEYS_PER_MINUTE: '2' } });
  });
  afterAll(() => system.close());

  it('counts against the limit on new keys, and a known key does not', async () => {
    const bury = (key: string) =>
      system.client.send('POST', '/v1/cancellations', {
        body: JSON.stringify({ idempotency_key: key }),
        headers: { 'content-type': 'application/json' },
      });
    expect((await bury('one')).status).toBe(200);
    expect((await bury('two')).status).toBe(200);
    const third = await bury('three');
    expect([third.status, third.json.code]).toEqual([429, 'rate_limited']);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await bury('one')).status).toBe(200);
  });
});
