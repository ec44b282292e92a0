import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { payonceHome } from '#embedded/home.js';
import { startPostgres } from '#embedded/postgres-server.js';
import { roleUrls } from '#embedded/role-urls.js';
import { ENTITIES } from '#platform/entities.js';
import { makePartitions } from '#postgres/daily-partitions.js';
import { type Database, openDatabase } from '#postgres/data-source.js';
import { Db } from '#postgres/db.js';
import { INSTANCE_LOCKS } from '#postgres/instance.js';
import { migrate } from '#postgres/migrate.js';
import { openPool } from '#postgres/pool.js';
import { Sessions } from './sessions.js';
import {
  type Prepared,
  ACCOUNTS,
  ADD_ACCOUNT,
  BEND,
  BLOCKERS,
  CANCEL,
  LOCK,
  RESET,
  START_MS,
  TRY_LOCK,
  UNLOCK,
  UNLOCK_ALL,
  createDatabase,
  dropDatabase,
  SET_CLOCK,
} from './stage.sql.js';

type Pool = ReturnType<typeof openPool>;
const DAY_MS = 86_400_000;
/** Days of answers: from the day before the virtual beginning to longer than any schedule goes. */
const DAYS = 40;
const SIMULATION_LOCK = 72_619;
/** Schedules between two tidyings of what deleted rows leave behind. */
const TIDY_EVERY = 250;

/** A PostgreSQL of this run's own, with nothing of anybody in it: never in a home that is set, since it is thrown away. */
export async function withServer<T>(
  work: (ownerUrl: string) => Promise<T>,
  log?: (line: string) => void,
): Promise<T> {
  process.env['PAYONCE_HOME'] = mkdtempSync(join(tmpdir(), 'payonce-simulate-'));
  const home = payonceHome();
  try {
    const folder = join(home, 'postgres');
    const server = await startPostgres({ folder, unsafeFast: true, ...(log && { log }) });
    try {
      return await work(server.ownerUrl);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(home, { recursive: true, force: true }); // also of a server that did not come up
  }
}

/** One migrated database whose time and randomness are the simulation's, for one process and all its schedules. */
export class Stage {
  #schedules = 0;

  private constructor(
    readonly name: string,
    private readonly admin: Pool,
    private readonly owner: Pool,
    private readonly registry: Pool,
    readonly sessions: Sessions,
    /** For the reads of callers, which wait for nobody and change nothing. */
    readonly source: Database['source'],
    readonly reader: Db,
  ) {}

  static async open(serverUrl: string, name: string): Promise<Stage> {
    const admin = poolOf(serverUrl);
    await admin.query(dropDatabase(name));
    await admin.query(createDatabase(name));
    const url = withDatabase(serverUrl, name);
    const { appUrl, maintenanceUrl } = roleUrls(url);
    await migrate({
      databaseUrl: url,
      appDatabaseUrl: appUrl,
      maintenanceDatabaseUrl: maintenanceUrl,
    });
    const owner = poolOf(url);
    const registry = poolOf(url);
    const { rows } = await registry.query(TRY_LOCK, [SIMULATION_LOCK]);
    if (!rows[0].ours) throw new Error(`Somebody else simulates on ${name}`);
    await owner.query(BEND);
    await makePartitions(owner, 'saved_answers', days());
    for (const account of ACCOUNTS) {
      await owner.query(ADD_ACCOUNT, [account.id, account.name]);
    }
    const sessions = new Sessions(appUrl, (pid) => cancel(owner, pid));
    const { source, db } = await openDatabase({
      url: appUrl,
      applicationName: 'simulate reader',
      connectionsMax: 1,
      entities: ENTITIES,
      onIdleError: () => {},
    });
    return new Stage(name, admin, owner, registry, sessions, source, db);
  }

  /** As it was before the first schedule. */
  async reset(): Promise<void> {
    await this.owner.query(RESET);
    await this.registry.query(UNLOCK_ALL);
    this.#schedules += 1;
    if (this.#schedules % TIDY_EVERY === 0) await this.owner.query('VACUUM');
  }

  async setTime(nowMs: number): Promise<void> {
    await this.owner.query({ ...SET_CLOCK, values: [nowMs] });
  }

  /** The session that shows others that a process lives. */
  async register(instance: number): Promise<void> {
    await this.registry.query(LOCK, [INSTANCE_LOCKS, instance]);
  }

  async unregister(instance: number): Promise<void> {
    await this.registry.query(UNLOCK, [INSTANCE_LOCKS, instance]);
  }

  /** Which sessions each of these waits for. */
  readonly probe = async (pids: number[]): Promise<Map<number, number[]>> => {
    const rows = await this.rows<{ pid: number; blockers: number[] }>(BLOCKERS, [pids]);
    return new Map(rows.map(({ pid, blockers }) => [pid, blockers]));
  };

  /** Prepared once, since each schedule asks the same. */
  async rows<Row>({ name, text }: Prepared, values: unknown[] = []): Promise<Row[]> {
    return (await this.owner.query({ name, text, values })).rows as Row[];
  }

  async close(): Promise<void> {
    await this.sessions.close();
    await this.source.destroy();
    await this.owner.end();
    await this.registry.end();
    await this.admin.query(dropDatabase(this.name));
    await this.admin.end();
  }
}

function poolOf(url: string): Pool {
  const pool = openPool({
    url,
    applicationName: 'simulate',
    connectionsMax: 1,
    onIdleError: () => {},
  });
  Object.assign(pool.options, { query_timeout: 0, statement_timeout: 0, lock_timeout: 0 });
  return pool;
}

/** A statement that waits for a lock is given up, as it is when its session ends. */
async function cancel(owner: Pool, pid: number): Promise<void> {
  await owner.query(CANCEL, [pid]);
}

function days(): string[] {
  return Array.from({ length: DAYS }, (_, n) => {
    const at = START_MS + (n - 1) * DAY_MS;
    return new Date(at).toISOString().slice(0, 10);
  });
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
