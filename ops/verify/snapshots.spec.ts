import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkEntries } from '#ledger/link-entries.js';
import { BLOCK } from '#ledger/snapshots.sql.js';
import { newSnapshotWalk, takeSnapshots } from '#ledger/take-snapshots.js';
import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';
import { verify } from './verify.js';

const SERVICES = ['payonce_app', 'payonce_maintenance'];

describe('npm run verify, on balance snapshots', () => {
  let system: System;
  let db: Db;
  beforeAll(async () => {
    system = await startSystem();
    const url = system.database.url;
    db = new Db(openPool({ url, applicationName: 't', connectionsMax: 1, onIdleError: () => {} }));
    const { json: payment } = await system.client.pay();
    await system.owner.query(
      `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount,
                                   currency, effective_at)
       SELECT account_id, id, payonce_uuid_v7(), 'payout', 'bank', 'processor_clearing', n, currency,
              payonce_now() - n * interval '1 hour'
         FROM payments, generate_series(1, $2::int) AS n WHERE id = $1`,
      [payment.id, BLOCK - 2],
    );
    await until(async () => {
      await linkEntries(system.core.deps.db);
      return (await takeSnapshots(system.core.deps.db, newSnapshotWalk())).taken === 1;
    });
  });
  afterAll(async () => {
    await db.close();
    await system.close();
  });

  /** What is found after some changes, which are undone. */
  async function judge(...changes: string[]) {
    const run = (text: string) => db.run({ name: '', text }, []);
    await run('BEGIN');
    try {
      for (const text of changes) await run(text);
      return await verify(db, SERVICES, system.core.config.ledgerSigningKeys);
    } finally {
      await run('ROLLBACK');
    }
  }

  it('finds nothing where nothing was done, and where some or all are gone', async () => {
    const { findings, notes } = await judge();
    expect(findings).toEqual([]);
    expect(notes).toContain('Blocks of entries that have balance snapshots: 1.');
    const some = `DELETE FROM ledger_snapshots WHERE entry_kind = 'payout'`;
    expect((await judge(some)).findings).toEqual([]);
    expect((await judge('TRUNCATE ledger_snapshots')).findings).toEqual([]);
  });

  it.each([
    ['amount', `'1'`],
    ['entries', `'1'`],
    ['entry_kind', `'"refund"'`],
    ['last_entry', `'"01a233e6-aba2-79be-9656-082ea888f483"'`],
    ['last_xid', `'"3"'`],
    ['recorded_to', `'"2030-01-01T00:00:00Z"'`],
    ['effective_sums', `'[1]'`],
    ['recorded_times', `'[]'`],
  ])('names the one whose %s is another', async (column, value) => {
    const { findings } = await judge(
      `WITH gone AS (DELETE FROM ledger_snapshots WHERE entry_kind = 'payout' RETURNING *)
       INSERT INTO ledger_snapshots
       SELECT r.* FROM gone, jsonb_populate_record(NULL::ledger_snapshots,
                               to_jsonb(gone) || jsonb_build_object('${column}', ${value}::jsonb)) AS r`,
    );
    const kind = column === 'entry_kind' ? 'refund' : 'payout';
    expect(findings).toEqual([
      `snapshots: account ${system.account.id}, block up to entry ${BLOCK}, myr, ${kind}: it is not what its entries add ` +
        'up to; emptying ledger_snapshots makes balances right again',
    ]);
  });

  it('tells of those that are of another server, which nobody reads', async () => {
    const { findings, notes } = await judge(
      `WITH gone AS (DELETE FROM ledger_snapshots RETURNING *)
       INSERT INTO ledger_snapshots
       SELECT r.* FROM gone, jsonb_populate_record(NULL::ledger_snapshots,
                               to_jsonb(gone) || '{"server": 1, "amount": 1}') AS r`,
    );
    expect(findings).toEqual([]);
    expect(notes).toContain('3 rows of ledger_snapshots are of another server, and are not read.');
  });

  it('sees that their guard is gone, or that somebody may change them', async () => {
    const off = 'ALTER TABLE ledger_snapshots DISABLE TRIGGER ledger_snapshots_no_update';
    expect((await judge(off)).findings).toEqual([
      'guards: trigger ledger_snapshots_no_update on ledger_snapshots is disabled',
    ]);
    expect((await judge('GRANT UPDATE ON ledger_snapshots TO PUBLIC')).findings).toEqual([
      'rights: everybody may UPDATE on ledger_snapshots',
    ]);
  });
});
