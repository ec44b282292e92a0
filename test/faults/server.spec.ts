import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '#embedded/postgres-server.js';
import { SESSION_LIMITS } from '#postgres/pool.js';
import { createTestDatabase } from '#testing/database.js';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

/** Two tries of a claim, each on a connection of its own, and a margin for a slow machine. */
const BOUND_MS = 2 * (SESSION_LIMITS.connectMs + SESSION_LIMITS.queryMs) + 10_000;

const OURS = `datname = current_database() AND application_name = 'payments-api'`;

describe('an API whose database server', () => {
  const processes = new Processes();
  let folder: string;
  let server: PostgresServer;
  let system: ProcessSystem;
  let api: ServiceProcess;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payonce-faults-'));
    chmodSync(folder, 0o711); // the server's own user passes through
    server = await startServer();
    system = await ProcessSystem.start({ database: await createTestDatabase(server.ownerUrl) });
    api = await system.api(processes);
  });
  afterAll(async () => {
    await processes.endAll();
    await system?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Durable, as in life: what was answered must still be there. */
  const startServer = (port = 0) => startPostgres({ folder: join(folder, 'postgres'), port });
  const pay = (key: string) => system.pay(api, key, { order_id: key });

  it('loses one backend to a kill -9 lives on, and pays again once all sessions are new', async () => {
    const first = await paid();
    const { rows } = await asOwner((owner) =>
      owner.query(`SELECT pid FROM pg_stat_activity WHERE ${OURS}`),
    );
    process.kill(rows[0].pid, 'SIGKILL');
    await expectEverything([first, await untilPaid()]);
  });

  it.each(['SIGQUIT', 'SIGKILL'] as const)(
    'is ended at once (%s) and started again has every payment that was answered',
    async (signal) => {
      const answered = [await paid(), await paid(), await paid()];
      process.kill(server.pid, signal);
      await server.exited;
      expect((await pay(randomUUID())).status).toBe(503);
      server = await startServer(server.port);
      await expectEverything([...answered, await untilPaid()]);
    },
  );

  it('is frozen answers 503 in bounded time, is not ready, and goes on when it thaws', async () => {
    const first = await paid();
    const frozen = [server.pid, ...childrenOf(server.pid)];
    const key = randomUUID();
    const startedMs = performance.now();
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      const [refused, ready] = await Promise.all([pay(key), system.get(api, '/health/ready')]);
      expect(refused.status, refused.text).toBe(503);
      expect(refused.headers['retry-after']).toBeDefined();
      expect(ready.status).toBe(503);
      expect(performance.now() - startedMs).toBeLessThan(BOUND_MS);
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await expectEverything([first, await untilPaid(key)]);
  });

  it('has no connection left answers 503, and goes on when there is one', async () => {
    const first = await paid();
    const held: pg.Client[] = [];
    await takeAll(held);
    await asOwner((owner) =>
      owner.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OURS}`),
    );
    await takeAll(held);
    const key = randomUUID();
    expect((await pay(key)).status).toBe(503);
    await Promise.all(held.map((client) => client.end()));
    await expectEverything([first, await untilPaid(key)]);
  });

  type Paid = { key: string; answers: { status: number | null; text: string }[] };

  async function paid(): Promise<Paid> {
    const key = randomUUID();
    const answer = await pay(key);
    expect(answer.status, answer.text).toBe(201);
    return { key, answers: [answer] };
  }

  /** The same request until it is through: the database is on its way back. */
  async function untilPaid(key: string = randomUUID()): Promise<Paid> {
    const answers: Paid['answers'] = [];
    await until(async () => {
      const answer = await pay(key);
      answers.push(answer);
      // What an interrupted run holds need not be waited for by a real clock.
      if (answer.status === 409 || answer.status === 202) await advance();
      return answer.status === 201;
    }, 60_000);
    return { key, answers };
  }

  async function expectEverything(payments: Paid[]): Promise<void> {
    for (const { key, answers } of payments) {
      const again = await pay(key);
      expect(again.headers['idempotent-replayed']).toBe('true');
      const { accountId, mockClient } = system;
      const books = await asOwner((owner) => readBooks({ owner, mockClient, accountId }, key));
      expect(disagreements(books, [...answers, again])).toEqual([]);
    }
  }

  async function advance(): Promise<void> {
    const minute = `UPDATE test_clock SET advance = advance + interval '1 minute'`;
    await asOwner((owner) => owner.query(minute));
  }

  /** A session of its own: one that is kept would have died with its server. */
  async function asOwner<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
    const owner = new pg.Client({ connectionString: system.database.url });
    owner.on('error', () => {});
    await owner.connect();
    try {
      return await work(owner);
    } finally {
      await owner.end();
    }
  }

  /** Opens sessions as the application until the server has no more to give. */
  async function takeAll(held: pg.Client[]): Promise<void> {
    for (;;) {
      const client = new pg.Client({ connectionString: system.database.appUrl });
      client.on('error', () => {});
      try {
        await client.connect();
        held.push(client);
      } catch {
        return;
      }
    }
  }
});

function childrenOf(pid: number): number[] {
  const text = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return text.split('\n').map(Number).filter(Boolean);
}
