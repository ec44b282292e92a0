import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_LIMITS } from '#postgres/pool.js';
import type { Seen } from '#testing/process-system.js';
import { disagreements } from '#testing/three-books.js';
import { OwnServer } from './own-server.js';

/** Two tries of a claim, each on a connection of its own, and a margin for a slow machine. */
const BOUND_MS = 2 * (SESSION_LIMITS.connectMs + SESSION_LIMITS.queryMs) + 10_000;

const OURS = `datname = current_database() AND application_name = 'payments-api'`;

describe('an API whose database server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-faults-'));
  let own: OwnServer;
  beforeAll(async () => void (own = await OwnServer.start(folder)));
  afterAll(async () => {
    await own?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loses one backend to a kill -9 lives on, and pays again once all sessions are new', async () => {
    const first = await paid();
    const { rows } = await own.asOwner((owner) =>
      owner.query(`SELECT pid FROM pg_stat_activity WHERE ${OURS}`),
    );
    process.kill(rows[0].pid, 'SIGKILL');
    await expectEverything([first, await untilPaid()]);
  });

  it.each(['SIGQUIT', 'SIGKILL'] as const)(
    'is ended at once (%s) and started again has every payment that was answered',
    async (signal) => {
      const answered = [await paid(), await paid(), await paid()];
      process.kill(own.server.pid, signal);
      await own.server.exited;
      expect((await own.pay(randomUUID())).status).toBe(503);
      await own.startAgain();
      await expectEverything([...answered, await untilPaid()]);
    },
  );

  it('is frozen answers 503 in bounded time, is not ready, and goes on when it thaws', async () => {
    const first = await paid();
    const frozen = [own.server.pid, ...childrenOf(own.server.pid)];
    const key = randomUUID();
    const startedMs = performance.now();
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      const [refused, ready] = await Promise.all([
        own.pay(key),
        own.system.get(own.api, '/health/ready'),
      ]);
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
    await own.asOwner((owner) =>
      owner.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OURS}`),
    );
    await takeAll(held);
    const key = randomUUID();
    expect((await own.pay(key)).status).toBe(503);
    await Promise.all(held.map((client) => client.end()));
    await expectEverything([first, await untilPaid(key)]);
  });

  type Paid = { key: string; answers: Seen[] };

  async function paid(): Promise<Paid> {
    const key = randomUUID();
    const answer = await own.pay(key);
    expect(answer.status, answer.text).toBe(201);
    return { key, answers: [answer] };
  }

  async function untilPaid(key: string = randomUUID()): Promise<Paid> {
    const answers: Seen[] = [];
    await own.payUntilPaid(key, answers);
    return { key, answers };
  }

  async function expectEverything(payments: Paid[]): Promise<void> {
    for (const { key, answers } of payments) {
      const again = await own.pay(key);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(disagreements(await own.booksOf(key), [...answers, again])).toEqual([]);
    }
  }

  /** Opens sessions as the application until the server has no more to give. */
  async function takeAll(held: pg.Client[]): Promise<void> {
    for (;;) {
      const client = new pg.Client({ connectionString: own.system.database.appUrl });
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
