import { mkdtempSync, rmSync, chmodSync, statSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startPostgres, type PostgresServer } from './postgres-server.js';

let parent: string;
const running: PostgresServer[] = [];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'payonce-embedded-'));
  chmodSync(parent, 0o711);
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  rmSync(parent, { recursive: true, force: true });
});

async function start(options: { fresh?: boolean } = {}): Promise<PostgresServer> {
  const server = await startPostgres({ folder: join(parent, 'postgres'), ...options });
  running.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the embedded PostgreSQL server', () => {
  it('keeps data over a stop and a start, and forgets it when begun anew', async () => {
    const first = await start();
    await query(first.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);

    const second = await start();
    expect(await query(second.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await second.stop();

    const third = await start({ fresh: true });
    const tables = await query(third.ownerUrl, `SELECT to_regclass('kept') AS found`);
    expect(tables).toEqual([{ found: null }]);
  });

  it('is durable, checksummed and counts statements', async () => {
    const { ownerUrl } = await start();
    const settings = await query(
      ownerUrl,
      `SELECT name, setting FROM pg_settings WHERE name IN
        ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums',
         'shared_preload_libraries', 'unix_socket_directories', 'listen_addresses') ORDER BY name`,
    );
    expect(settings).toEqual([
      { name: 'data_checksums', setting: 'on' },
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'listen_addresses', setting: '127.0.0.1' },
      { name: 'shared_preload_libraries', setting: 'pg_stat_statements' },
      { name: 'synchronous_commit', setting: 'on' },
      { name: 'unix_socket_directories', setting: '' },
    ]);
  });

  it('lets nobody in without the password, and no other OS user into the folder', async () => {
    const { ownerUrl, folder } = await start();
    const wrong = new URL(ownerUrl);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'owner-password')).mode & 0o777).toBe(0o600);
  });

  it('starts again by itself beside an orphaned server, with every committed row', async () => {
    const orphan = await start();
    await query(orphan.ownerUrl, 'CREATE TABLE kept AS SELECT 1 AS answer');
    // The supervisor that forgot its server: a second start in the same folder, none stopped.
    const next = await start();
    expect(next.pid).not.toBe(orphan.pid);
    await orphan.exited;
    expect(await query(next.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 1 }]);
  });

  it('starts again after a kill -9 of the server, with every committed row', async () => {
    const killed = await start();
    await query(killed.ownerUrl, 'CREATE TABLE kept AS SELECT 1 AS answer');
    process.kill(killed.pid, 'SIGKILL');
    await killed.exited;
    expect(existsSync(join(killed.folder, 'data', 'postmaster.pid'))).toBe(true);
    const next = await start();
    expect(await query(next.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 1 }]);
  });
});
