import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { inject } from 'vitest';
import { roleUrls } from '#embedded/role-urls.js';

export interface TestDatabase {
  /** The owner's address. */
  url: string;
  /** The login role that the services use. */
  appUrl: string;
  /** The login role that makes and drops partitions. */
  maintenanceUrl: string;
  drop(): Promise<void>;
}

/** A migrated database of the caller's own, cloned from a template in some 50 ms. */
export async function createTestDatabase(
  clusterUrl = inject('postgresUrl'),
): Promise<TestDatabase> {
  await makeTemplate(clusterUrl);
  return cloneOf(TEMPLATE, clusterUrl);
}

/** A database with nothing in it, for tests of the migrations themselves. */
export async function createEmptyDatabase(
  clusterUrl = inject('postgresUrl'),
): Promise<TestDatabase> {
  return cloneOf('template0', clusterUrl);
}

const TEMPLATE = 'payonce_template';
const TEMPLATE_LOCK = 72_617;

async function cloneOf(template: string, clusterUrl: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onCluster(clusterUrl, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`),
  );
  const url = withDatabase(clusterUrl, name);
  return {
    url,
    ...roleUrls(url),
    drop: async () => {
      await onCluster(clusterUrl, (client) =>
        client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      );
    },
  };
}

/** Once for each run: several test files may ask at the same time, and one of them makes it. */
async function makeTemplate(clusterUrl: string): Promise<void> {
  await onCluster(clusterUrl, async (client) => {
    await untilLocked(client);
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (found.rowCount !== 0) return;
    // Made aside and renamed when complete, so that a failed migration leaves no template behind.
    const aside = `${TEMPLATE}_new`;
    await client.query(`DROP DATABASE IF EXISTS ${aside} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${aside}`);
    await runMigrations(withDatabase(clusterUrl, aside));
    await client.query(`ALTER DATABASE ${aside} RENAME TO ${TEMPLATE}`);
  });
}

async function runMigrations(databaseUrl: string): Promise<void> {
  const { migrate } = await import('#postgres/migrate.js');
  const { appUrl, maintenanceUrl } = roleUrls(databaseUrl);
  await migrate({ databaseUrl, appDatabaseUrl: appUrl, maintenanceDatabaseUrl: maintenanceUrl });
}

async function untilLocked(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS locked',
      [TEMPLATE_LOCK],
    );
    if (rows[0]?.locked) return;
    await pause(50);
  }
}

async function onCluster<T>(clusterUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end(); // the session's lock goes with it
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
