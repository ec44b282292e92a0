import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { claimFolder, databaseUser, type OsUser } from './os-user.js';
import { stopOrphanedServer } from './orphaned-server.js';
import { initializeData, ownerPassword } from './postgres-data.js';
import { installPrograms, type Programs } from './postgres-programs.js';

export interface PostgresOptions {
  /** Holds programs, data, the owner's password and the server's log; made if absent. */
  folder: string;
  /** 0, the default, takes any free port. */
  port?: number;
  /** Throws the data away first. */
  fresh?: boolean;
  /** Gives up durability for speed: for test databases that nobody misses after a crash. */
  unsafeFast?: boolean;
  log?: (line: string) => void;
}

export interface PostgresServer {
  port: number;
  pid: number;
  folder: string;
  /** The owner's address of the database `payonce`. */
  ownerUrl: string;
  /** Settles when the server process has ended, by `stop` or by itself. */
  exited: Promise<void>;
  /** Fast shutdown: open transactions are rolled back, the data is checkpointed. */
  stop: () => Promise<void>;
}

/**
 * Starts the real PostgreSQL server as a child of this process, out of the programs that npm brought.
 *
 * The server refuses to run as root, so a root caller's server runs as another OS user, which owns
 * the folder. Whatever an earlier run left behind (a killed supervisor, an orphaned server, a stale
 * pid file, a half-made data folder) is put right first. The caller makes sure that only one
 * process at a time starts a server in one folder.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { folder, log = () => {} } = options;
  const user = databaseUser();
  claimFolder(folder, user);
  const programs = installPrograms(folder, user, log);
  const data = join(folder, 'data');
  await stopOrphanedServer(data, log);
  if (options.fresh) rmSync(data, { recursive: true, force: true });
  const password = ownerPassword(folder, user);
  await initializeData({ folder, data, programs, user, durable: !options.unsafeFast, log });

  const port = options.port || (await freePort());
  const server = launch({ ...options, port }, { data, programs, user });
  const ownerUrl = `postgres://payonce:${password}@127.0.0.1:${port}/payonce`;
  try {
    await untilReady(ownerUrl, server);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { port, folder, ownerUrl, ...server };
}

interface Running {
  pid: number;
  exited: Promise<void>;
  hasExited: () => boolean;
  stop: () => Promise<void>;
  lastWords: () => string;
}

function launch(
  options: PostgresOptions & { port: number },
  { data, programs, user }: { data: string; programs: Programs; user: OsUser },
): Running {
  const logFile = join(options.folder, 'postgres.log');
  const logFd = openLog(logFile);
  const logFrom = statSync(logFile).size;
  // `detached` is a session of its own: Ctrl-C in a terminal reaches the whole foreground group, and
  // the database has to stop last, when its clients are gone.
  const child = spawn(programs.postgres, ['-D', data, ...settings(options)], {
    ...user.identity,
    cwd: options.folder,
    env: { LC_ALL: 'C', PATH: process.env['PATH'] },
    stdio: ['ignore', logFd, logFd],
    detached: true,
  });
  closeSync(logFd);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      ended = true;
      resolve();
    };
    child.once('exit', end);
    child.once('error', end);
  });
  const guard = child.pid === undefined ? undefined : guardAgainstOurDeath(child.pid, user);
  void exited.then(() => guard?.release());
  return {
    pid: child.pid ?? 0,
    exited,
    hasExited: () => ended,
    stop: async () => {
      await shutDown(child, exited, () => ended);
      await guard?.gone;
    },
    lastWords: () => readFileSync(logFile).subarray(logFrom).toString('utf8').trim(),
  };
}

function openLog(file: string): number {
  const keep = 10 * 1024 * 1024;
  const tooLong = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > keep;
  return openSync(file, tooLong ? 'w' : 'a', 0o600);
}

interface Guard {
  release: () => void;
  gone: Promise<void>;
}

/**
 * A killed supervisor cannot stop its server. This shell waits on a pipe whose other end only we
 * hold: when it closes without the word, we are dead, and the server is asked for a fast shutdown.
 */
function guardAgainstOurDeath(serverPid: number, user: OsUser): Guard {
  const guard = spawn('/bin/sh', ['-c', `read -r word || kill -INT ${serverPid}`], {
    ...user.identity,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.stdin.on('error', () => {});
  return {
    release: () => guard.stdin.end('released\n'),
    gone: new Promise((resolve) =>
      guard.once('exit', () => resolve()).once('error', () => resolve()),
    ),
  };
}

function settings({ port, unsafeFast }: { port: number; unsafeFast?: boolean }): string[] {
  const values: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    // No socket file: loopback TCP is as fast here, and a path has a limit of 107 bytes.
    unix_socket_directories: '',
    max_connections: 200,
    shared_preload_libraries: 'pg_stat_statements',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  if (unsafeFast) {
    Object.assign(values, { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
    Object.assign(values, {
      wal_level: 'minimal',
      max_wal_senders: 0,
      update_process_title: 'off',
    });
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

const READY_WITHIN_MS = 120_000; // crash recovery after a long run may take a while

async function untilReady(ownerUrl: string, server: Running): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    if (server.hasExited()) {
      throw new Error(`PostgreSQL did not start. Its last words:\n${server.lastWords()}`);
    }
    const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (!isStillStarting(error) || performance.now() > deadline) throw error;
      await pause(20);
    }
  }
}

function isStillStarting(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  const cannotConnectNow = code === '57P03' || code === 'ECONNREFUSED' || code === 'ECONNRESET';
  return cannotConnectNow || /terminated unexpectedly|timeout/i.test(message ?? '');
}

async function shutDown(
  child: ChildProcess,
  exited: Promise<void>,
  hasExited: () => boolean,
): Promise<void> {
  const steps = [
    { signal: 'SIGINT', waitMs: 20_000 }, // fast: rolls back and checkpoints
    { signal: 'SIGQUIT', waitMs: 5_000 }, // immediate: recovers at the next start
    { signal: 'SIGKILL', waitMs: 5_000 },
  ] as const;
  for (const { signal, waitMs } of steps) {
    if (hasExited()) return;
    child.kill(signal);
    const giveUp = new AbortController();
    const waited = pause(waitMs, undefined, { signal: giveUp.signal }).catch(() => {});
    await Promise.race([exited, waited]);
    giveUp.abort();
  }
}
