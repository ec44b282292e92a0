import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';

describe('a call to the processor', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system?.close());

  it('holds no transaction and no connection', async () => {
    const key = randomUUID();
    let isOver = false;
    const paying = system.client
      .pay({ payment_method: 'pm_test_slow_1000', order_id: key }, key)
      .finally(() => (isOver = true));
    await until(async () => (await count(CLAIMED, [key])) === 1);
    const held: number[] = [];
    while (!isOver) held.push(await count(HELD, []));
    expect((await paying).status).toBe(201);
    // It was looked at for as long as the call took; the moment of the record step is no transaction of ours.
    expect(held.length).toBeGreaterThan(5);
    expect(held.filter((sessions) => sessions > 0)).toEqual([]);
  });

  const CLAIMED = 'SELECT count(*)::int AS n FROM payments WHERE order_id = $1';
  const HELD = `SELECT count(*)::int AS n FROM pg_stat_activity
                 WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;

  async function count(text: string, values: unknown[]): Promise<number> {
    return (await system.owner.query<{ n: number }>(text, values)).rows[0]?.n ?? 0;
  }
});
