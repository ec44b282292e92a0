import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newWatch, takeOrphans } from '#payments/take-orphans.js';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes } from '#testing/processes.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';

const IN_FLIGHT = 100;
/** Far below the lease; the clock is not moved, so only an early takeover can be this fast. */
const FINAL_WITHIN_MS = 15_000;

describe('a killed owner', () => {
  let system: ProcessSystem;
  let processes: Processes;
  beforeAll(async () => {
    system = await ProcessSystem.start();
  });
  afterEach(() => processes.endAll());
  afterAll(() => system.close());

  it(`leaves ${IN_FLIGHT} payments in flight, all final long before their leases end`, async () => {
    processes = new Processes();
    const api = await system.api(processes);
    await system.worker(processes);
    const keys = Array.from({ length: IN_FLIGHT }, () => randomUUID());
    let refused = 0;
    const answers = keys.map(async (key) => {
      const { status } = await system.pay(api, key, { payment_method: 'pm_test_slow_1500' });
      if (status === 503) refused += 1;
    });
    // On a machine that is busy the first may be charged by now, and the last be refused: nothing of it is claimed.
    await until(async () => (await payments()) + refused >= IN_FLIGHT);
    const claimed = await payments();
    expect(await payments('pending')).toBeGreaterThan(0);
    api.kill('SIGKILL');
    const killedMs = performance.now();
    await Promise.all(answers);
    await until(async () => (await payments('pending')) === 0, FINAL_WITHIN_MS);
    expect(performance.now() - killedMs).toBeLessThan(FINAL_WITHIN_MS);
    expect(await system.mockClient.chargeCount()).toBe(claimed);
    const { rows } = await system.owner.query(
      `SELECT count(*)::int AS charges FROM ledger_entries WHERE entry_kind = 'charge'`,
    );
    expect(rows[0].charges).toBe(claimed);
  });

  async function payments(status?: string): Promise<number> {
    const { rows } = await system.owner.query(
      'SELECT count(*)::int AS n FROM payments WHERE $1::text IS NULL OR status = $1',
      [status],
    );
    return rows[0].n;
  }
});

describe('an owner that lives', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  it('is not taken over while its session holds its lock, nor within the grace after it lost it', async () => {
    const slow = system.client.pay({ payment_method: 'pm_test_slow_1000' });
    await until(async () => (await owners()).length === 1);
    const watch = newWatch();
    expect((await takeOrphans(system.core.deps, watch, 'wrk_1')).taken).toBe(0);
    expect(watch.missing.size).toBe(0);
    await system.owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 72618`,
    );
    expect((await takeOrphans(system.core.deps, watch, 'wrk_2')).taken).toBe(0);
    expect((await slow).status).toBe(201);
    expect(await system.core.deps.instance.registered(5_000)).toBe(true);
    expect(system.log.map(({ event }) => event)).toContain('instance_lost');
  });

  it('sends nothing until it has registered again', async () => {
    const { instance } = system.core.deps;
    const key = randomUUID();
    const registered = vi.spyOn(instance, 'registered').mockResolvedValue(false);
    const refused = await system.client.pay({}, key);
    expect([refused.status, refused.json.code]).toEqual([503, 'processor_unavailable']);
    registered.mockRestore();
    expect((await system.client.pay({}, key)).status).toBe(201);
  });

  async function owners(): Promise<unknown[]> {
    return (await system.owner.query(`SELECT owner FROM idempotency_keys WHERE state = 'started'`))
      .rows;
  }
});
