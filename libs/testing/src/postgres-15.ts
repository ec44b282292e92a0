import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '#embedded/free-port.js';
import { claimFolder, databaseUser } from '#embedded/os-user.js';

/** Where distributions put the programs of the oldest server that is supported. */
const USUAL_FOLDERS = [
  '/usr/lib/postgresql/15/bin',
  '/usr/pgsql-15/bin',
  '/usr/local/opt/postgresql@15/bin',
  '/opt/homebrew/opt/postgresql@15/bin',
];

/** The folder of PostgreSQL 15's programs: `PG15_BIN`, or one of the usual ones; null if there is none. */
export const postgres15: string | null =
  [process.env['PG15_BIN'] ?? '', ...USUAL_FOLDERS].find((folder) =>
    existsSync(join(folder, 'initdb')),
  ) ?? null;

/** Starts a PostgreSQL 15 server of one spec. It ends with `stop`, and with this process. */
export async function startPostgres15(
  bin: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const user = databaseUser();
  const folder = mkdtempSync(join(tmpdir(), 'payonce-pg15-'));
  claimFolder(folder, user);
  const data = join(folder, 'data');
  const options = {
    ...user.identity,
    cwd: folder,
    env: { LC_ALL: 'C', PATH: process.env['PATH'] },
  };
  const flags = ['-D', data, '-U', 'payonce', '--auth=trust', '--encoding=UTF8', '--no-sync'];
  const made = spawnSync(join(bin, 'initdb'), flags, { ...options, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = ['-p', String(port), '-k', '', '-c', 'fsync=off', '-h', '127.0.0.1', '-D', data];
  // The shell waits for its input to end, which it does when we close it or die.
  const script = '"$0" "$@" & server=$!; read -r word; kill -INT $server; wait $server';
  const server = spawn('/bin/sh', ['-c', script, join(bin, 'postgres'), ...settings], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = `postgres://payonce:unused@127.0.0.1:${port}/postgres`;
  await untilReady(url);
  return {
    url,
    stop: async () => {
      server.stdin.end();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(50);
    }
  }
}
