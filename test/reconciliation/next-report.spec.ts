import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOUR_MS, ReportWorld, openOnes } from './report-world.js';

let world: ReportWorld;
beforeAll(async () => {
  world = await ReportWorld.open();
});
afterAll(() => world?.close());

/** Two days, and one movement of the first that only the report of the second has: what is open then is one break. */
it('a line that stands in the next report is a timing, and missing no more once its own day is read again', async () => {
  const { system, date } = world;
  await system.client.pay({ amount: 4_200 });
  await system.client.pay({ amount: 4_300 });
  await system.advance(8 * HOUR_MS);
  await system.client.pay({ amount: 4_400 });
  await system.advance(24 * HOUR_MS);
  const next = new Date(Date.parse(date) + 24 * HOUR_MS).toISOString().slice(0, 10);
  const order = { date, kind: 'timing', variant: 'next_report', count: 1, seed: 11 };
  const { status, json, text } = await system.mockClient.control('POST', 'anomalies', order);
  expect(status, text).toBe(200);
  const [planted] = json.planted;
  const first = await world.reconcile({ date });
  const second = await world.reconcile({ date: next });
  const again = await world.reconcile({ date });
  expect({ first: openOnes(first), second: openOnes(second), again: openOnes(again) }).toEqual({
    first: [`missing_there ${planted.reference}`],
    second: [`timing ${planted.reference}`],
    again: [`timing ${planted.reference}`],
  });
  const { rows } = await system.owner.query(`SELECT kind FROM breaks WHERE status <> 'closed'`);
  expect(rows).toEqual([{ kind: 'timing' }]);
});
