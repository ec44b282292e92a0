import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkEntries } from '#ledger/link-entries.js';
import { signCheckpoints } from '#ledger/sign-checkpoints.js';
import { readSigningKeys } from '#ledger/signing-keys.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';
import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import { verify } from './verify.js';

const SERVICES = ['payonce_app', 'payonce_maintenance'];
/** What a superuser does, who takes the guards away and puts them back. */
const OFF = (table: string) => `ALTER TABLE ${table} DISABLE TRIGGER USER`;
const ON = (table: string) =>
  ['no_change', 'no_truncate'].map(
    (name) => `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${table}_${name}`,
  );
const changed = (table: string, ...changes: string[]) => [OFF(table), ...changes, ...ON(table)];

describe('npm run verify, on the chain', () => {
  let system: System;
  let db: Db;
  /** Link 3 of 8, and its entry. */
  let third: { shard: number; entry_id: string; account_id: string };
  beforeAll(async () => {
    system = await startSystem({ webhooks: true });
    const url = system.database.url;
    db = new Db(openPool({ url, applicationName: 't', connectionsMax: 1, onIdleError: () => {} }));
    for (let at = 0; at < 4; at += 1) expect((await system.client.pay()).status).toBe(201);
    await until(async () => {
      await linkEntries(system.core.deps.db);
      return (await count('ledger_chain')) === 8;
    });
    const { signer } = system.core.config.ledgerSigningKeys;
    expect((await signCheckpoints(system.core.deps.db, signer!)).length).toBe(1);
    [third] = (await system.owner.query('SELECT * FROM ledger_chain WHERE sequence = 3')).rows;
  });
  afterAll(async () => {
    await db.close();
    await system.close();
  });

  async function count(table: string): Promise<number> {
    const { rows } = await system.owner.query(`SELECT count(*)::int AS n FROM ${table}`);
    return rows[0].n;
  }

  const judge = (keys = system.core.config.ledgerSigningKeys) => verify(db, SERVICES, keys);
  const found = async (...changes: string[]) => {
    await db.run({ name: '', text: 'BEGIN' }, []);
    try {
      for (const text of changes) await db.run({ name: '', text }, []);
      const { findings } = await judge();
      return findings.filter((line) => line.startsWith('chain: '));
    } finally {
      await db.run({ name: '', text: 'ROLLBACK' }, []);
    }
  };

  it('finds nothing where nothing was done, and says how much is signed', async () => {
    const { findings, notes } = await judge();
    expect(findings).toEqual([]);
    expect(notes.join(' ')).toMatch(/8 ledger rows are linked in 8 chains; last signed at 2\d{3}-/);
  });

  it.each([
    ['amount', '1'],
    ['currency', `'usd'`],
    ['entry_kind', `'capture'`],
    ['source_id', `payonce_uuid_v7()`],
    ['effective_at', `effective_at + interval '1 microsecond'`],
    ['recorded_at', `recorded_at - interval '1 microsecond'`],
    ['recorded_xid', `'3'`],
  ])('names the row whose %s was changed', async (column, value) => {
    const change = `UPDATE ledger_entries SET ${column} = ${value} WHERE id = '${third.entry_id}'`;
    const drop =
      'ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_charge_is_its_own_source';
    expect(await found(...changed('ledger_entries', drop, change))).toEqual([
      `chain: shard ${third.shard}, link 3, account ${third.account_id}, ledger row ${third.entry_id}: ` +
        'the entry or its link was changed',
    ]);
  });

  it('names a row that is gone', async () => {
    const change = `DELETE FROM ledger_entries WHERE id = '${third.entry_id}'`;
    expect(await found(...changed('ledger_entries', change))).toEqual([
      expect.stringMatching(
        new RegExp(`link 3, .*ledger row ${third.entry_id}: the entry is gone$`),
      ),
    ]);
  });

  const COPY = (
    xid: string,
  ) => `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind,
      debit_account, credit_account, amount, currency, effective_at, recorded_at, recorded_xid)
    SELECT account_id, payment_id, payonce_uuid_v7(), 'payout', 'bank', 'processor_clearing', 1, currency,
           effective_at, recorded_at, ${xid}
      FROM ledger_entries WHERE id = '${third.entry_id}'`;

  it('names a row that was inserted among those that had their links', async () => {
    const [finding, ...others] = await found(COPY('recorded_xid'));
    expect(finding).toMatch(/ledger row [0-9a-f-]{36}: the entry was inserted afterwards/);
    expect(others).toEqual([]);
  });

  it('names a row that was inserted for a transaction to come', async () => {
    expect(await found(COPY(`'9000000000'`))).toEqual([
      expect.stringMatching(/the entry was inserted by hand: its transaction has not been yet/),
    ]);
  });

  it('does not take a row that waits for its link for one that was inserted', async () => {
    expect(await found(COPY('pg_current_xact_id()'))).toEqual([]);
  });

  it('names a row and its link that are both gone', async () => {
    const findings = await found(
      ...changed('ledger_entries', `DELETE FROM ledger_entries WHERE id = '${third.entry_id}'`),
      ...changed('ledger_chain', 'DELETE FROM ledger_chain WHERE sequence = 3'),
    );
    expect(findings[0]).toMatch(/link 4, .*the link before it is gone/);
  });

  it('sees that the end of a chain was cut off', async () => {
    const findings = await found(
      ...changed('ledger_chain', 'DELETE FROM ledger_chain WHERE sequence = 8'),
    );
    expect(findings.join('\n')).toMatch(/does not end at link 8/);
    expect(findings.join('\n')).toMatch(/was rewritten: link 8 is not what was signed/);
  });

  it('sees a second link of one row', async () => {
    const twice = `INSERT INTO ledger_chain SELECT shard, 9, account_id, entry_id, 9, hash
                     FROM ledger_chain WHERE sequence = 8`;
    expect((await found(twice)).join('\n')).toMatch(/link 9, .*the entry has a second link/);
  });

  /** What a superuser would do who knows how it works: change a row, and every hash from there on. */
  const REWRITE = [
    `CREATE FUNCTION pg_temp.rewrite() RETURNS void LANGUAGE plpgsql AS $$
     DECLARE before bytea; l record;
     BEGIN
       FOR l IN SELECT * FROM ledger_chain ORDER BY sequence LOOP
         SELECT sha256(coalesce(before, decode(repeat('00', 32), 'hex')) || record_send(ROW(l.shard, l.sequence, e.id,
                  e.account_id, e.payment_id, e.source_id, e.entry_kind, e.debit_account, e.credit_account, e.amount,
                  e.currency, e.effective_at, e.recorded_at, e.recorded_xid)))
           INTO before FROM ledger_entries e WHERE e.id = l.entry_id;
         UPDATE ledger_chain SET hash = before WHERE shard = l.shard AND sequence = l.sequence;
       END LOOP;
       UPDATE ledger_shards SET hash = before WHERE sequence > 0;
     END $$`,
    'SELECT pg_temp.rewrite()',
  ];
  const ALTER = `UPDATE ledger_entries SET amount = 1 WHERE entry_kind = 'processor_fee'`;

  it('sees a chain that was written anew, by what was signed of it', async () => {
    const findings = await found(
      ...changed('ledger_entries', ALTER),
      ...changed('ledger_chain', ...REWRITE),
    );
    expect(findings).toEqual([
      expect.stringMatching(/shard \d was rewritten: link 8 is not what was signed at 2/),
    ]);
  });

  it('sees a checkpoint that was changed to fit, by its signature', async () => {
    const findings = await found(
      ...changed('ledger_entries', ALTER),
      ...changed('ledger_chain', ...REWRITE),
      ...changed(
        'ledger_checkpoints',
        `UPDATE ledger_checkpoints c SET hash = l.hash FROM ledger_chain l
          WHERE l.shard = c.shard AND l.sequence = c.sequence`,
      ),
    );
    expect(findings).toEqual([expect.stringMatching(/was changed: its signature is wrong/)]);
  });

  it('trusts no key but those that it is told', async () => {
    const others = readSigningKeys([Buffer.alloc(32, 7).toString('base64')]);
    expect((await judge(others)).findings).toEqual([
      expect.stringMatching(/is signed by a key that LEDGER_SIGNING_KEY does not name/),
    ]);
  });

  it('sees that a chain was set back, so that something could be put in between', async () => {
    const findings = await found(
      `UPDATE ledger_shards SET position_xid = '3' WHERE shard = ${third.shard}`,
    );
    expect(findings).toEqual([expect.stringMatching(/was set back behind its last checkpoint/)]);
  });

  it.each(['ledger_chain', 'ledger_checkpoints'])(
    'sees that the guard of %s is gone',
    async (table) => {
      await db.run({ name: '', text: 'BEGIN' }, []);
      await db.run(
        { name: '', text: `ALTER TABLE ${table} DISABLE TRIGGER ${table}_no_change` },
        [],
      );
      const { findings } = await judge();
      await db.run({ name: '', text: 'ROLLBACK' }, []);
      expect(findings).toEqual([`guards: trigger ${table}_no_change on ${table} is disabled`]);
    },
  );

  it('finds payments of every kind in order: captured, refunded, disputed, late', async () => {
    const { client } = system;
    const held = await client.pay({ capture: 'manual' });
    await client.post(`/v1/payments/${held.json.id}/capture`, { amount: 900 });
    const paid = await client.pay();
    await client.post(`/v1/payments/${paid.json.id}/refunds`, { amount: 400 });
    expect((await judge()).findings).toEqual([]);
    const change = `UPDATE refunds SET amount = 401 WHERE payment_id = '${paid.json.id}'`;
    await db.run({ name: '', text: 'BEGIN' }, []);
    await db.run({ name: '', text: change }, []);
    const { findings } = await judge();
    await db.run({ name: '', text: 'ROLLBACK' }, []);
    expect(findings).toEqual([
      expect.stringMatching(/its refunds are 401, and the ledger has 400$/),
    ]);
  });
});
