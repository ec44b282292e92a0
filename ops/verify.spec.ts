import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSigningKeys } from '#ledger/signing-keys.js';
import { DEMO_LEDGER_KEY } from '#platform/config.js';
import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import { type System, startSystem } from '#testing/system.js';
import { verify } from './verify/verify.js';

const SERVICES = ['payonce_app', 'payonce_maintenance'];
const root = join(import.meta.dirname, '..');

describe('verify', () => {
  const keys = readSigningKeys([DEMO_LEDGER_KEY]);
  let system: System;
  let db: Db;
  beforeAll(async () => {
    system = await startSystem();
    const options = { url: system.database.url, applicationName: 'verify', connectionsMax: 1 };
    db = new Db(openPool({ ...options, onIdleError: () => {} }));
    await system.client.pay({ payment_method: 'pm_card_chargeDeclined' });
    const paid = await system.client.pay({ order_id: randomUUID() });
    expect(paid.status, paid.text).toBe(201);
  });
  afterAll(async () => {
    await db.close();
    await system.close();
  });

  it('finds nothing where nothing was tampered with', async () => {
    const verdict = await verify(db, SERVICES, keys);
    expect(verdict.findings).toEqual([]);
    expect(verdict.notes).toEqual([
      '0 ledger rows are linked in 8 chains; nothing is signed yet.',
      'Blocks of entries that have balance snapshots: 0.',
      '2 ledger rows in 1 balance (one for each account and currency).',
    ]);
  });

  it('says in words that the database cannot be reached, and exits 2', () => {
    const env = { ...process.env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
    const run = spawnSync(process.execPath, [join(root, 'ops/run.mjs'), 'verify'], {
      env,
      encoding: 'utf8',
    });
    expect(run.status).toBe(2);
    expect(run.stderr).toMatch(/The database cannot be reached: .*127\.0\.0\.1:1$/m);
    expect(run.stderr).not.toContain('    at ');
  });

  const OFF = 'ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_no_change';
  const ON = 'ALTER TABLE ledger_entries ENABLE ALWAYS TRIGGER ledger_entries_no_change';
  const FORGED = `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account,
      credit_account, amount, currency, effective_at)
    SELECT account_id, id, id, 'charge', 'processor_clearing', 'merchant_payable', amount, currency, now()
      FROM payments WHERE status = 'failed'`;

  it.each([
    [
      'a trigger that was disabled',
      [OFF],
      /trigger ledger_entries_no_change on ledger_entries is disabled/,
    ],
    [
      'a trigger that a replica session would skip',
      ['ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_no_truncate'],
      /no_truncate on ledger_entries is not ENABLE ALWAYS/,
    ],
    [
      'a trigger that was dropped',
      ['DROP TRIGGER ledger_entries_no_truncate ON ledger_entries'],
      /no_truncate on ledger_entries is gone/,
    ],
    [
      'a trigger under the same name that fires on less',
      [
        'DROP TRIGGER ledger_entries_no_change ON ledger_entries',
        'CREATE TRIGGER ledger_entries_no_change BEFORE DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change()',
        ON,
      ],
      /no_change on ledger_entries is another one/,
    ],
    [
      'a function that was replaced',
      [
        `CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
      ],
      /ledger_refuse_change has another body/,
    ],
    [
      'a guard of payments that was replaced',
      [
        `CREATE OR REPLACE FUNCTION payments_refuse_backward() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
      ],
      /payments_refuse_backward has another body/,
    ],
    [
      'a foreign trigger on the ledger',
      [
        `CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
        'CREATE TRIGGER swallow BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION swallow()',
      ],
      /foreign trigger or rule swallow/,
    ],
    [
      'a rule on the ledger',
      ['CREATE RULE quiet AS ON DELETE TO ledger_entries DO INSTEAD NOTHING'],
      /foreign trigger or rule quiet/,
    ],
    [
      'a guard of the audit log that was disabled',
      ['ALTER TABLE audit_log DISABLE TRIGGER audit_log_no_change'],
      /trigger audit_log_no_change on audit_log is disabled/,
    ],
    [
      'a rule that swallows audit rows',
      ['CREATE RULE quiet AS ON INSERT TO audit_log DO INSTEAD NOTHING'],
      /audit_log has the foreign trigger or rule quiet/,
    ],
    [
      'a right to change ledger rows',
      ['GRANT UPDATE ON ledger_entries TO payonce_app'],
      /payonce_app may UPDATE on ledger_entries/,
    ],
    [
      'a right to change one column of them',
      ['GRANT UPDATE (amount) ON ledger_entries TO payonce_app'],
      /payonce_app may UPDATE on ledger_entries/,
    ],
    [
      'a right for everybody',
      ['GRANT TRUNCATE ON ledger_entries TO PUBLIC'],
      /everybody may TRUNCATE on ledger_entries/,
    ],
    [
      'a right to forget keys',
      ['GRANT DELETE ON idempotency_keys TO payonce_maintenance'],
      /payonce_maintenance may DELETE on idempotency_keys/,
    ],
    [
      'a service that owns the ledger',
      ['ALTER TABLE ledger_entries OWNER TO payonce_app'],
      /payonce_app counts as an owner of ledger_entries/,
    ],
    [
      'a row that was deleted with the trigger off',
      [OFF, `DELETE FROM ledger_entries WHERE entry_kind = 'charge'`, ON],
      /payment [0-9a-f-]{36}: the payment succeeded, and the ledger has no charge/,
    ],
    [
      'an amount that was changed',
      [OFF, `UPDATE ledger_entries SET amount = 1 WHERE entry_kind = 'charge'`, ON],
      /ledger row [0-9a-f-]{36}: the row says 1, the payment captured 2500/,
    ],
    [
      'a currency that was changed',
      [OFF, `UPDATE ledger_entries SET currency = 'usd'`, ON],
      /the row is in usd, the payment in myr/,
    ],
    [
      'accounts that were swapped',
      [
        OFF,
        `UPDATE ledger_entries SET debit_account = credit_account, credit_account = debit_account`,
        ON,
      ],
      /a charge goes from merchant_payable to processor_clearing/,
    ],
    [
      'a charge for a payment that failed',
      [FORGED],
      /the payment is failed, and the ledger has a row of it/,
    ],
    [
      'a payment that was changed',
      [`UPDATE payments SET amount_captured = 1 WHERE status = 'succeeded'`],
      /the row says 2500, the payment captured 1/,
    ],
  ])('finds %s, and names it', async (_what, changes, named) => {
    const verdict = await tamperedWith(changes);
    expect(verdict.findings.join('\n')).toMatch(named);
    expect((await verify(db, SERVICES, keys)).findings).toEqual([]);
  });

  it('says what rests on the trigger alone where services have no roles', async () => {
    const { findings, notes } = await verify(db, ['nobody_app', 'nobody_maintenance'], keys);
    expect(findings).toEqual([]);
    expect(notes.join(' ')).toMatch(/trigger alone/);
  });

  it('as a command exits 0, 1 and 2', async () => {
    expect(await command(system.database.url)).toMatchObject({ code: 0 });
    await system.owner.query('GRANT DELETE ON ledger_entries TO payonce_app');
    const tampered = await command(system.database.url);
    await system.owner.query('REVOKE DELETE ON ledger_entries FROM payonce_app');
    expect(tampered).toMatchObject({ code: 1 });
    expect(tampered.stdout).toContain('TAMPERED rights: payonce_app may DELETE on ledger_entries');
    expect(await command('postgres://nobody@127.0.0.1:1/nothing')).toMatchObject({ code: 2 });
    expect((await command(system.database.url, '--help')).stdout).toContain('npm run verify');
  });

  /** What verify says while the changes are there; nothing of them stays. */
  async function tamperedWith(changes: string[]) {
    await db.run({ name: '', text: 'BEGIN' }, []);
    try {
      for (const text of changes) await db.run({ name: '', text }, []);
      return await verify(db, SERVICES, keys);
    } finally {
      await db.run({ name: '', text: 'ROLLBACK' }, []);
    }
  }

  function command(databaseUrl: string, ...args: string[]) {
    return new Promise<{ code: number; stdout: string }>((resolve) => {
      const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl };
      const program = [join(root, 'ops', 'run.mjs'), 'verify', ...args];
      execFile(process.execPath, program, { cwd: root, env }, (error, stdout) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout });
      });
    });
  }
});
