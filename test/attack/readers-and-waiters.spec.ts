import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';

describe('a caller whose wait has ended', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ env: { ACCOUNT_IN_FLIGHT_MAX: '1' } })));
  afterAll(() => system.close());

  /** @keeps P9 */
  it('counts as in flight until the work for it has ended', async () => {
    const slow = { payment_method: 'pm_test_slow_2500' };
    const early = await system.client.pay(slow, randomUUID(), { prefer: 'wait=1' });
    expect(early.status).toBe(202);
    expect((await system.client.pay()).json.code).toBe('rate_limited');
    await system.core.deps.background.idle();
    expect((await system.client.pay()).status).toBe(201);
  });
});

describe('readers of a payment that the processor is slow to tell of', () => {
  let system: System;
  beforeAll(async () => {
    const env = { PROCESSOR_TIMEOUT_MS: '300' };
    system = await startSystem({ env, bendTime: true });
  });
  afterAll(() => system.close());

  it('leave the lease to recovery for a second after each look', async () => {
    const unknown = await system.client.pay({ payment_method: 'pm_test_lose_request' });
    const read = () => system.client.get(`/v1/payments/${unknown.json.id}`);
    const looks = async () => {
      const { rows } = await system.owner.query(
        `SELECT count(*)::int AS n FROM attempts WHERE action = 'look_up'`,
      );
      return rows[0].n;
    };
    await system.advance(1_001);
    await read();
    expect(await looks()).toBe(1);
    // As if the look had begun long ago and ended now.
    await system.owner.query(
      `UPDATE attempts SET opened_at = opened_at - interval '5 seconds', closed_at = payonce_now()`,
    );
    await read();
    expect(await looks()).toBe(1);
    await system.advance(1_001);
    await read();
    expect(await looks()).toBe(2);
  });
});
