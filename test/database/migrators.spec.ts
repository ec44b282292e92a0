import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { type MigrateReport, migrate } from '#postgres/migrate.js';
import { migrationsFolder } from '#postgres/sql-migrations.js';
import { type TestDatabase, createEmptyDatabase, createTestDatabase } from '#testing/database.js';
import { postgres15, startPostgres15 } from '#testing/postgres-15.js';
import { Sessions, refusalOf } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';
import { partitionSweep } from '../../apps/recovery-worker/src/partitions.js';

const FILES = readdirSync(migrationsFolder()).filter((file) => /^\d{4}-/.test(file)).length;

describe('migrate', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  it.each([2, 5])('by %i at once on an empty database: one applies, all succeed', async (count) => {
    const database = await emptyDatabase();
    const reports = await Promise.all(
      Array.from({ length: count }, () => migrateWith(database, 'payonce')),
    );
    const applied = reports.map((report) => report.applied.length).sort((a, b) => b - a);
    expect(applied).toEqual([FILES, ...Array.from({ length: count - 1 }, () => 0)]);
    expect(reports.map(({ roles }) => roles.kind)).toEqual(reports.map(() => 'ready'));
    await expectUsable(database, 'payonce');
  });

  it('in several databases of one cluster at once: the roles are made once and work in all', async () => {
    const databases = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase()));
    cleanups.push(() => Promise.all(databases.map((database) => database.drop())));
    for (let round = 0; round < 4; round++) {
      const roles = `race_${randomUUID().slice(0, 8)}`;
      cleanups.unshift(() => dropRoles(roles)); // after the databases: they hold what was granted
      const reports = await Promise.all(databases.map((database) => migrateWith(database, roles)));
      expect(reports.map((report) => report.roles.kind)).toEqual(databases.map(() => 'ready'));
      for (const database of databases) await expectUsable(database, roles);
    }
  });

  it('again changes nothing', async () => {
    const database = await emptyDatabase();
    await migrateWith(database, 'payonce');
    const before = await catalog(database);
    expect((await migrateWith(database, 'payonce')).applied).toEqual([]);
    expect(await catalog(database)).toEqual(before);
  });

  it('by an owner that may not make roles: says what rests on the trigger, and the service pays', async () => {
    const ownerUrl = await plainOwner();
    const database = await createEmptyDatabase(ownerUrl);
    const report = await migrateWith(database, 'payonce');
    expect(report.applied).toHaveLength(FILES);
    expect(report.roles.kind).toBe('owner_only');
    expect(report.roles.lines.join(' ')).toMatch(/owner.*\(P4\).*trigger alone/);

    const env = { APP_DATABASE_URL: '', DATABASE_URL: database.url };
    const system = await startSystem({ database, env });
    cleanups.push(() => system.close());
    expect(system.log.map(({ event }) => event)).toContain('database_role_is_owner');
    await expectPayment(system);
    await partitionSweep(system.core, database.url).runOnce();
    for (const change of ['UPDATE ledger_entries SET amount = 1', 'TRUNCATE ledger_entries']) {
      expect(await refusalOf(system.owner, change)).toMatchObject({
        constraint: 'ledger_only_grows',
      });
    }
  });

  it('says so where an older server cannot carry it', async () => {
    const database = await emptyDatabase();
    const sessions = new Sessions();
    const owner = await sessions.open(database.url);
    // A schema before pg_catalog in the search path lets the server claim to be an older one.
    await owner.query(`
      CREATE SCHEMA older;
      CREATE FUNCTION older.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT '140011' $$;
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = older, pg_catalog, public', current_database());
      END $$`);
    await sessions.close();
    await expect(migrateWith(database, 'payonce')).rejects.toThrow(/PostgreSQL 15 or newer/);
  });

  const why =
    postgres15 === null ? ' (skipped: no PostgreSQL 15 here, and PG15_BIN is not set)' : '';
  it.skipIf(postgres15 === null)(`and a payment work on PostgreSQL 15${why}`, async () => {
    const server = await startPostgres15(postgres15 ?? '');
    cleanups.push(() => server.stop());
    const system = await startSystem({ database: await createTestDatabase(server.url) });
    cleanups.push(() => system.close());
    const { rows } = await system.owner.query(`SELECT current_setting('server_version_num') AS is`);
    expect(rows[0].is).toMatch(/^15/);
    await expectPayment(system);
    await partitionSweep(system.core, system.database.maintenanceUrl).runOnce();
  });

  async function emptyDatabase(): Promise<TestDatabase> {
    const database = await createEmptyDatabase();
    cleanups.push(() => database.drop());
    return database;
  }

  /** A role that may make databases and nothing else; the address is its own. */
  async function plainOwner(): Promise<string> {
    const name = `plain_${randomUUID().slice(0, 8)}`;
    await asClusterOwner(`CREATE ROLE ${name} LOGIN CREATEDB PASSWORD 'plain'`);
    cleanups.push(() => asClusterOwner(`DROP ROLE ${name}`));
    const url = new URL(inject('postgresUrl'));
    url.username = name;
    url.password = 'plain';
    return url.href;
  }

  async function dropRoles(prefix: string): Promise<void> {
    await asClusterOwner(`DROP ROLE IF EXISTS ${prefix}_app, ${prefix}_maintenance`);
  }
});

async function asClusterOwner(text: string): Promise<void> {
  const sessions = new Sessions();
  await (await sessions.open(inject('postgresUrl'))).query(text);
  await sessions.close();
}

function roleUrl(url: string, prefix: string, role: string): string {
  const changed = new URL(url);
  changed.username = changed.username.replace(/^payonce(?=_)/, prefix);
  expect(changed.username).toBe(`${prefix}_${role}`);
  return changed.href;
}

function migrateWith(database: TestDatabase, prefix: string): Promise<MigrateReport> {
  return migrate({
    databaseUrl: database.url,
    appDatabaseUrl: roleUrl(database.appUrl, prefix, 'app'),
    maintenanceDatabaseUrl: roleUrl(database.maintenanceUrl, prefix, 'maintenance'),
  });
}

/** Both roles log in, and have exactly the rights that tell them apart. */
async function expectUsable(database: TestDatabase, prefix: string): Promise<void> {
  const sessions = new Sessions();
  try {
    const app = await sessions.open(roleUrl(database.appUrl, prefix, 'app'));
    await app.query('UPDATE payments SET description = NULL WHERE false');
    expect(await refusalOf(app, 'DELETE FROM ledger_entries')).toMatchObject({ code: '42501' });
    const maintenance = await sessions.open(
      roleUrl(database.maintenanceUrl, prefix, 'maintenance'),
    );
    const { rows } = await maintenance.query(
      `SELECT pg_has_role('payonce_answers', 'USAGE') AS member,
              (SELECT count(*)::int FROM pg_inherits WHERE inhparent = 'saved_answers'::regclass) AS days`,
    );
    expect(rows).toEqual([{ member: true, days: 9 }]);
  } finally {
    await sessions.close();
  }
}

/** Everything in the schema that DDL or a grant writes. */
async function catalog(database: TestDatabase): Promise<string[]> {
  const sessions = new Sessions();
  const owner = await sessions.open(database.url);
  const { rows } = await owner.query<{ line: string }>(`
    SELECT concat_ws(' ', oid, relname, relowner::regrole, relacl, reloptions) AS line
      FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', oid, conname) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', oid, proname, proacl, md5(prosrc)) FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace
    ORDER BY 1`);
  await sessions.close();
  return rows.map(({ line }) => line);
}

async function expectPayment(system: System): Promise<void> {
  const key = randomUUID();
  const first = await system.client.pay({ order_id: key }, key);
  expect(first.status, first.text).toBe(201);
  expect((await system.client.pay({ order_id: key }, key)).text).toBe(first.text);
}
