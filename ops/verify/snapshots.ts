import type { Db } from '#postgres/db.js';
import { CHECK_SNAPSHOTS, COUNT_SNAPSHOTS } from './snapshots.sql.js';
import type { Verdict } from './verify.js';

/**
 * Balance snapshots against the entries. One that is missing is no finding, it is made again; one that says something else
 * than its entries makes balances wrong, and its table can be emptied at any time. @keeps P4
 */
export async function verifySnapshots(db: Db): Promise<Verdict> {
  const altered = await db.run(CHECK_SNAPSHOTS, []);
  const [count] = await db.run(COUNT_SNAPSHOTS, []);
  const foreign = Number(count?.foreign ?? 0);
  return {
    findings: altered.map(
      (row) =>
        `snapshots: account ${row.account_id}, block up to entry ${row.number}, ${row.currency}, ${row.entry_kind}: ` +
        'it is not what its entries add up to; emptying ledger_snapshots makes balances right again',
    ),
    notes: [
      `Blocks of entries that have balance snapshots: ${count?.blocks ?? 0}.`,
      ...(foreign === 0
        ? []
        : [`${foreign} rows of ledger_snapshots are of another server, and are not read.`]),
    ],
  };
}
