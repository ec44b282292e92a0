import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { daysAhead, makePartitions } from '#postgres/daily-partitions.js';
import { type System, startSystem } from '#testing/system.js';

/** Past the key's end, on a day for which nobody has made a partition yet. */
const NINE_DAYS_MS = 9 * 86_400_000;
const LEASE_MS = 30_000;

describe('closing released work at the end of its key', () => {
  let system: System;
  beforeEach(async () => void (system = await startSystem({ bendTime: true })));
  afterEach(() => system.close());

  /** @keeps P7: interrupted, it is closed by whoever comes next, never sent: its order was paid another way. */
  it.each(['sweep', 'retry'])('is interrupted, and still sends nothing (%s)', async (by) => {
    const key = randomUUID();
    const body = { payment_method: 'pm_test_busy', order_id: '1042' };
    const released = await system.client.pay(body, key);
    expect(released.status).toBe(503);
    expect((await system.client.pay({ order_id: '1042' })).status).toBe(201);

    await system.advance(NINE_DAYS_MS);
    // The lease is taken, and the record step refused: there is nowhere to save the answer.
    if (by === 'sweep') expect(await system.sweep()).toEqual({ 202: 1 });
    else expect((await system.client.pay(body, key)).status).toBe(202);
    await makePartitions(system.owner, 'saved_answers', await daysAhead(system.owner, 0, 1));
    await system.advance(LEASE_MS + 1);

    const settled = await system.settle(released.json.payment_id);
    expect(await system.booked('charge')).toHaveLength(1);
    expect(settled.json.failure.code).toBe('payment_not_charged');
    expect((await system.client.pay(body, key)).status).toBe(402);
  });
});
