import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkEntries } from '#ledger/link-entries.js';
import { signCheckpoints } from '#ledger/sign-checkpoints.js';
import { SESSION_LIMITS } from '#postgres/pool.js';
import { Sessions, refusalOf } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';

const NO_RIGHT = '42501';
const TABLES = ['ledger_entries', 'ledger_chain', 'ledger_checkpoints'];
const CHANGES = [
  'UPDATE ledger_entries SET amount = amount + 1',
  `UPDATE ledger_chain SET hash = '\\x00'`,
  'UPDATE ledger_checkpoints SET sequence = 0',
  ...TABLES.flatMap((table) => [`DELETE FROM ${table}`, `TRUNCATE ${table}`]),
];

describe('what the database refuses', () => {
  const sessions = new Sessions();
  let system: System;
  let owner: pg.Client;
  let app: pg.Client;
  let maintenance: pg.Client;
  beforeAll(async () => {
    system = await startSystem();
    owner = system.owner;
    app = await sessions.open(system.database.appUrl);
    maintenance = await sessions.open(system.database.maintenanceUrl);
    const { status } = await system.client.pay({ order_id: randomUUID() });
    expect(status).toBe(201);
    const { core } = system;
    // A row trigger is asked for a row only.
    await until(async () => (await linkEntries(core.deps.db)).linked > 0);
    await signCheckpoints(core.deps.db, core.config.ledgerSigningKeys.signer!);
  });
  afterAll(async () => {
    await sessions.close();
    await system.close();
  });

  describe('to the application', () => {
    it.each(CHANGES)('%s: it has no right to', async (change) => {
      expect(await refusalOf(app, change)).toMatchObject({ code: NO_RIGHT });
      expect(await refusalOf(app, change)).not.toHaveProperty('constraint');
    });

    it.each([
      'DELETE FROM idempotency_keys',
      'DELETE FROM payments',
      'DELETE FROM operations',
      'DELETE FROM attempts',
      'DELETE FROM saved_answers',
      'UPDATE saved_answers SET status = 200',
      'UPDATE outbox_events SET sequence = 9',
      'DELETE FROM outbox_events',
      'TRUNCATE payments CASCADE',
      'DELETE FROM ledger_shards',
      'UPDATE settings SET answers_days = 30',
      'UPDATE accounts SET order_once = false',
      `INSERT INTO api_keys (account_id, key_hash, prefix, scopes) SELECT id, '', '', '{}' FROM accounts`,
      'ALTER TABLE ledger_entries DISABLE TRIGGER ALL',
      'DROP TRIGGER ledger_entries_no_change ON ledger_entries',
      'CREATE TABLE mine (n int)',
      'CREATE TRIGGER mine BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change()',
      'SET session_replication_role = replica',
      'SET ROLE payonce_answers',
      `CREATE OR REPLACE FUNCTION payonce_now() RETURNS timestamptz LANGUAGE sql AS 'SELECT now()'`,
    ])('%s', async (attempt) => {
      expect(await refusalOf(app, attempt)).toMatchObject({ code: NO_RIGHT });
    });

    it('anything by ownership: it owns nothing, and belongs to nobody who does', async () => {
      const { rows } = await owner.query(`
        SELECT objid::regclass::text FROM pg_shdepend
         WHERE refobjid = 'payonce_app'::regrole AND deptype = 'o'
           AND dbid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        UNION ALL
        SELECT roleid::regrole::text FROM pg_auth_members WHERE member = 'payonce_app'::regrole
        UNION ALL
        SELECT rolname FROM pg_roles
         WHERE rolname = 'payonce_app'
           AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)`);
      expect(rows).toEqual([]);
    });

    it('sessions without limits: its role has them, whatever a connection asks for', async () => {
      const settings = {
        statement_timeout: SESSION_LIMITS.statementMs,
        lock_timeout: SESSION_LIMITS.lockMs,
        idle_in_transaction_session_timeout: SESSION_LIMITS.idleInTransactionMs,
        client_connection_check_interval: SESSION_LIMITS.clientCheckMs,
      };
      const { rows } = await app.query(
        `SELECT name, setting::int FROM pg_settings WHERE name = ANY ($1)`,
        [Object.keys(settings)],
      );
      const found = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
      expect(found).toEqual(settings);
    });

    it('a statement, a wait and an idle transaction that last too long', async () => {
      const session = await sessions.open(system.database.appUrl);
      await session.query(
        `SET statement_timeout = 100; SET lock_timeout = 50; SET idle_in_transaction_session_timeout = 100`,
      );
      expect(await refusalOf(session, 'SELECT pg_sleep(10)')).toMatchObject({ code: '57014' });
      await owner.query('BEGIN; LOCK TABLE sweep_marks IN ACCESS EXCLUSIVE MODE');
      expect(await refusalOf(session, 'SELECT * FROM sweep_marks')).toMatchObject({
        code: '55P03',
      });
      await owner.query('ROLLBACK');
      const ended = new Promise((resolve) => session.once('end', resolve));
      await session.query('BEGIN');
      await ended;
    });
  });

  describe('to the owner and the superuser', () => {
    it.each(CHANGES)('%s: the trigger stands in the way', async (change) => {
      expect(await isSuperuser()).toBe(true);
      expect(await refusalOf(owner, change)).toMatchObject({ constraint: 'ledger_only_grows' });
    });

    it.each(CHANGES)('%s: also as a replica, where plain triggers sleep', async (change) => {
      await owner.query('SET session_replication_role = replica');
      const refused = await refusalOf(owner, change);
      await owner.query('RESET session_replication_role');
      expect(refused).toMatchObject({ constraint: 'ledger_only_grows' });
    });

    it('a truncation that comes along a foreign key', async () => {
      expect(await refusalOf(owner, 'TRUNCATE payments CASCADE')).toMatchObject({
        constraint: 'ledger_only_grows',
      });
    });

    it('the same to an owner who is nobody else', async () => {
      await owner.query(`
        CREATE ROLE plain_owner NOLOGIN;
        GRANT CREATE, USAGE ON SCHEMA public TO plain_owner;
        ${TABLES.map((table) => `ALTER TABLE ${table} OWNER TO plain_owner;`).join('\n')}
        SET ROLE plain_owner`);
      const refused = [];
      for (const change of CHANGES) refused.push(await refusalOf(owner, change));
      await owner.query(`
        RESET ROLE;
        ${TABLES.map((table) => `ALTER TABLE ${table} OWNER TO CURRENT_USER;`).join('\n')}
        DROP OWNED BY plain_owner;
        DROP ROLE plain_owner`);
      expect(refused.map((refusal) => refusal?.constraint)).toEqual(
        CHANGES.map(() => 'ledger_only_grows'),
      );
    });

    it('nothing was changed by all that', async () => {
      const { rows } = await owner.query(`SELECT amount FROM ledger_entries ORDER BY amount DESC`);
      expect(rows[0]).toEqual({ amount: '2500' });
    });
  });

  describe('to maintenance', () => {
    it.each([
      ...CHANGES,
      'SELECT * FROM payments',
      'SELECT * FROM idempotency_keys',
      'SELECT * FROM api_keys',
      'INSERT INTO accounts (name, mode) VALUES (1, 2)',
      'DROP TABLE payments CASCADE',
      'DROP TABLE ledger_entries',
      'UPDATE sweep_marks SET mark = mark',
      'ALTER TABLE payments DISABLE TRIGGER ALL',
    ])('%s', async (attempt) => {
      expect(await refusalOf(maintenance, attempt)).toMatchObject({ code: NO_RIGHT });
    });

    it('making and dropping a partition is what it may do', async () => {
      await maintenance.query(`
        CREATE TABLE saved_answers_2020_01_01 (LIKE saved_answers INCLUDING ALL);
        ALTER TABLE saved_answers_2020_01_01 OWNER TO payonce_answers;
        ALTER TABLE saved_answers ATTACH PARTITION saved_answers_2020_01_01
          FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`);
      await maintenance.query(
        'ALTER TABLE saved_answers DETACH PARTITION saved_answers_2020_01_01 CONCURRENTLY',
      );
      await maintenance.query('DROP TABLE saved_answers_2020_01_01');
      const { rows } = await owner.query(`SELECT to_regclass('saved_answers_2020_01_01') AS is`);
      expect(rows).toEqual([{ is: null }]);
    });
  });

  async function isSuperuser(): Promise<boolean> {
    const { rows } = await owner.query(
      `SELECT rolsuper FROM pg_roles WHERE rolname = current_user`,
    );
    return rows[0].rolsuper;
  }
});
