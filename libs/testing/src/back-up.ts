import pg from 'pg';
import { inject } from 'vitest';
import { until } from './until.js';

/** A copy of a test database as it is now. PostgreSQL copies only what nobody is connected to. */
export async function backUp(url: string): Promise<string> {
  const name = nameIn(url);
  const backup = `${name}_backup`;
  await onCluster(async (cluster) => {
    await cluster.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await cluster.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
      [name],
    );
    const left = 'SELECT FROM pg_stat_activity WHERE datname = $1';
    await until(async () => {
      return (await cluster.query(left, [name])).rowCount === 0;
    });
    await cluster.query(`CREATE DATABASE ${backup} TEMPLATE ${name}`);
    await cluster.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  });
  return backup;
}

/** The copy takes the place of the database; the service goes on, and connects again. */
export async function restore(url: string, backup: string): Promise<void> {
  await onCluster(async (cluster) => {
    await cluster.query(`DROP DATABASE ${nameIn(url)} WITH (FORCE)`);
    await cluster.query(`ALTER DATABASE ${backup} RENAME TO ${nameIn(url)}`);
  });
}

/** A connection that may be cut without ending the test. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** By the database's own clock. */
export async function databaseNow(url: string): Promise<Date> {
  const client = await connectTo(url);
  const { rows } = await client.query<{ now: Date }>('SELECT now() AS now');
  await client.end();
  if (!rows[0]) throw new Error('The database tells no time');
  return rows[0].now;
}

const nameIn = (url: string) => new URL(url).pathname.slice(1);

async function onCluster(work: (cluster: pg.Client) => Promise<void>): Promise<void> {
  const cluster = new pg.Client({ connectionString: inject('postgresUrl') });
  await cluster.connect();
  try {
    await work(cluster);
  } finally {
    await cluster.end();
  }
}
