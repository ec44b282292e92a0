import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_LONG } from '#testing/is-long.js';
import { Processes } from '#testing/processes.js';
import { type System, startSystem } from '#testing/system.js';

/** One kill in the middle of the import; `npm test -- --long` goes through all of them. */
const POINTS = IS_LONG ? ['s1', 's2', 's3', 's4'] : ['s2'];

describe('a reconciliation that is killed', () => {
  const processes = new Processes();
  let system: System;
  let date: string;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
    await system.advance(Date.parse(`${tomorrow}T20:00:00Z`) - Date.now());
    date = tomorrow;
    for (const amount of [2_500, 3_000, 4_500]) await system.client.pay({ amount });
    await system.advance(8 * 3_600_000);
    await run().exit; // builds what is spawned, where nobody has yet
    await system.mockClient.control('POST', 'anomalies', { date, kind: 'missing_there' });
  });
  afterAll(async () => {
    await processes.endAll();
    await system?.close();
  });

  it.each(POINTS)(
    'at %s is run again with the same result',
    async (point) => {
      await system.owner.query('TRUNCATE report_imports, report_lines, report_findings, breaks');
      await system.client.pay({ payment_method: 'pm_test_lose_response', amount: 777 });
      const killed = run(`${point}:1:kill`);
      expect(await killed.exit).toEqual({ code: null, signal: 'SIGKILL' });
      const { rows } = await system.owner.query(
        'SELECT count(*)::int AS lines FROM report_lines WHERE import_id NOT IN (SELECT id FROM report_imports)',
      );
      expect(rows).toEqual([{ lines: 0 }]);
      const again = run();
      expect(await again.exit).toEqual({ code: 1, signal: null });
      const stored = await system.owner.query('SELECT kind, status FROM breaks');
      expect(stored.rows).toEqual([{ kind: 'missing_there', status: 'open' }]);
      const imports = await system.owner.query(
        `SELECT i.lines = (SELECT count(*) FROM report_lines l WHERE l.import_id = i.id) AS whole
         FROM report_imports i`,
      );
      expect(imports.rows).toEqual([{ whole: true }]);
      expect(again.logLines).toMatchObject([{ date, breaks: [{ kind: 'missing_there' }] }]);
    },
    120_000,
  );

  function run(failpoints = '') {
    const { appUrl } = system.database;
    return processes.spawnReconciliation({ appUrl, mockUrl: system.mock.url, failpoints, date });
  }
});
