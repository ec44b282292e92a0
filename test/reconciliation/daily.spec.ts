import { afterAll, beforeAll, expect, it } from 'vitest';
import { reconciliationSweep } from '../../apps/recovery-worker/src/reconciliation.js';
import { HOUR_MS, ReportWorld } from './report-world.js';

let world: ReportWorld;
beforeAll(async () => {
  world = await ReportWorld.open();
});
afterAll(() => world?.close());

it('the worker reconciles a day once it is over, once for all replicas', async () => {
  const { system, date } = world;
  const replicas = [reconciliationSweep(system.core), reconciliationSweep(system.core)];
  const dates = async () =>
    (await system.owner.query('SELECT report_date::text AS date FROM report_imports')).rows;
  await system.client.pay();
  for (const { runOnce } of replicas) expect(await runOnce()).toBe('done');
  expect(await dates()).toEqual([]);
  await system.advance(5 * HOUR_MS);
  const ends = await Promise.all(replicas.map(({ runOnce }) => runOnce()));
  expect(ends).toContain('more');
  for (const { runOnce } of replicas) expect(await runOnce()).toBe('done');
  expect(await dates()).toEqual([{ date }]);
  expect(system.log.filter(({ event }) => event === 'reconciled').length).toBeLessThanOrEqual(2);
  expect(system.log.find(({ event }) => event === 'reconciled')).toMatchObject({
    date,
    lines: 2,
    open: 0,
  });
});
