import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { PARTITION_DAYS_AHEAD, daysAhead, makePartitions } from './daily-partitions.js';
import { type RoleReport, ensureRoles } from './roles.js';
import { sqlMigrations } from './sql-migrations.js';

/** Advisory locks are a database's own; the number only has to be ours. */
const MIGRATION_LOCK = 72_616;
const SERVER_VERSION_MIN = 150_000;

export type MigrateOptions = {
  /** The owner's. The only place where it is used. */
  databaseUrl: string;
  appDatabaseUrl?: string | undefined;
  maintenanceDatabaseUrl?: string | undefined;
  /** How long answers are kept: part of the contract, so it is written into the database. */
  answersDays?: number;
  log?: (line: string) => void;
  /**
   * The last migration that runs: a test stands on the schema of older code with it. Roles, rights and
   * partitions are those of the newest schema, and left out.
   */
  upTo?: number;
};

export type MigrateReport = { applied: string[]; roles: RoleReport };

/**
 * Brings a database to the newest schema, roles, rights and partitions included. Safe to run twice, at
 * once, and while older code serves traffic. Throws with a sentence for people when it cannot.
 */
export async function migrate(options: MigrateOptions): Promise<MigrateReport> {
  const log = options.log ?? (() => {});
  const source = new DataSource({
    type: 'postgres',
    url: options.databaseUrl,
    applicationName: 'payonce-migrate',
    migrations: sqlMigrations().slice(0, options.upTo),
    migrationsTransactionMode: 'each',
    extra: { max: 2, connectionTimeoutMillis: 5_000, lock_timeout: 10_000 },
  });
  await source.initialize();
  const session = source.createQueryRunner();
  try {
    await session.connect();
    await refuseOldServer(session);
    await waitForTurn(session, log);
    const applied = await source.runMigrations({ transaction: 'each' });
    for (const { name } of applied) log(`migrated ${name.slice(0, -13)}`);
    if (options.upTo !== undefined) {
      return { applied: applied.map(({ name }) => name), roles: { kind: 'owner_only', lines: [] } };
    }
    await writeAnswersDays(session, options.answersDays ?? 7);
    const roles = await ensureRoles(session, options);
    for (const line of roles.lines) log(line);
    await makePartitions(
      session,
      'saved_answers',
      await daysAhead(session, -1, PARTITION_DAYS_AHEAD),
    );
    return { applied: applied.map(({ name }) => name), roles };
  } finally {
    await session.release();
    await source.destroy();
  }
}

async function refuseOldServer(session: QueryRunner): Promise<void> {
  const [row] = await session.query(`SELECT current_setting('server_version_num')::int AS version`);
  if (row.version < SERVER_VERSION_MIN) {
    throw new Error(`PostgreSQL 15 or newer is needed; this server is ${row.version}`);
  }
}

/** Polls: a blocking advisory lock would hang with CREATE INDEX CONCURRENTLY, which waits for our snapshot. */
async function waitForTurn(session: QueryRunner, log: (line: string) => void): Promise<void> {
  for (let polls = 0; ; polls++) {
    const [row] = await session.query(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS ours`);
    if (row.ours) return; // released when the session ends
    if (polls === 5) log('waiting for another migration to end');
    await pause(200);
  }
}

async function writeAnswersDays(session: QueryRunner, answersDays: number): Promise<void> {
  await session.query(
    `INSERT INTO settings (answers_days) VALUES ($1)
     ON CONFLICT (only_row) DO UPDATE SET answers_days = EXCLUDED.answers_days
     WHERE settings.answers_days <> EXCLUDED.answers_days`,
    [answersDays],
  );
}
