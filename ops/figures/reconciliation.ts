import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '#postgres/db.js';
import { readBreaks, score, type Score } from '../score/score.js';
import { paymentsFor } from './big-day.js';
import { ANALYZE_BIG_DAY, BIG_DAY_ROWS } from './big-day.sql.js';
import { writeBigDay, type BigReport } from './big-day-file.js';
import { FIND_ACCOUNT, SERVER_VERSION } from './figures.sql.js';
import { asPlanter } from './plant.js';
import { WITHOUT_FOREIGN_KEYS } from './plant.sql.js';
import { progress } from './progress.js';
import type { Stage } from './stage.js';
import { watched, type Watched } from './watched.js';

export type ReconciliationFigures = {
  report: BigReport;
  bytes: number;
  postgres: string;
  run: Watched;
  score: Score;
  badLines: number;
  /** Entries that it booked of payouts. */
  paidOut: number;
};

/** What `npm run reconcile` makes of a report of so many lines, the making of the report and of our rows aside. */
export async function measureReconciliation(
  stage: Stage,
  db: Db,
  lines: number,
): Promise<ReconciliationFigures> {
  const payments = paymentsFor(lines);
  const [account] = await db.run(FIND_ACCOUNT, ['demo']);
  if (!account) throw new Error('There is no demo account');
  await plantBigDay(stage.ownerUrl, account.id, payments);
  const each = Math.max(1, Math.floor(lines / 10_000));
  const file = join(stage.home, 'big-day.csv');
  const report = await writeBigDay(file, { accountId: account.id, payments, each });
  progress(`wrote a report of ${report.lines} lines`);
  const run = await watched(
    stage.command('reconcile', ['--processor', 'mock', '--file', file, '--json']),
  );
  progress(`reconciled in ${(run.ms / 1_000).toFixed(1)} s`);
  if (run.exit !== 1) throw new Error(`reconcile ended with ${run.exit}, not 1:\n${run.lastWords}`);
  const [version] = await db.run(SERVER_VERSION, []);
  const told = JSON.parse(run.output) as { bad_lines: object[]; paid_out: number };
  return {
    report,
    bytes: statSync(file).size,
    postgres: version?.version ?? '',
    run,
    score: score(report.planted, readBreaks(run.output)),
    badLines: told.bad_lines.length,
    paidOut: told.paid_out,
  };
}

const PAYMENTS_AT_ONCE = 100_000;

export async function plantBigDay(url: string, accountId: string, payments: number): Promise<void> {
  await asPlanter(url, async (planter) => {
    await planter.query(WITHOUT_FOREIGN_KEYS);
    for (let first = 1; first <= payments; first += PAYMENTS_AT_ONCE) {
      const last = Math.min(payments, first + PAYMENTS_AT_ONCE - 1);
      for (const text of Object.values(BIG_DAY_ROWS)) {
        await planter.query(text, [accountId, first, last, payments]);
      }
      progress(`planted ${last} of ${payments} payments`);
    }
    await planter.query(ANALYZE_BIG_DAY);
  });
}
