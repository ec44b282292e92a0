import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { IS_LONG } from '#testing/is-long.js';
import { daysAhead, makePartitions } from '#postgres/daily-partitions.js';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { type System, startSystem } from '#testing/system.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

const ASYNC = { prefer: 'respond-async' };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('queued work that cannot be sent', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    await system.client.pay(); // from now on our account there is known
    await system.mockClient.faults({ fault: 'busy' });
    vi.spyOn(system.core.deps.random, 'unit').mockReturnValue(1 - Number.EPSILON);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await system.close();
  });

  const row = async (id: string) => {
    const { rows } = await system.owner.query(
      `SELECT k.state, round(extract(epoch FROM u.next_try_at - payonce_now()))::int AS wait_s,
              EXISTS (SELECT FROM order_slots s WHERE s.payment_id = k.payment_id) AS has_slot,
              (SELECT count(*)::int FROM attempts a WHERE a.operation_id = k.operation_id) AS attempts
         FROM idempotency_keys k LEFT JOIN unresolved u USING (account_id, key_hash)
        WHERE k.payment_id = $1`,
      [id],
    );
    return rows[0];
  };

  it('waits twice as long each time, up to 15 minutes, keeps its slot, and ends with its key', async () => {
    const [key, order_id] = [randomUUID(), randomUUID()];
    const { json } = await system.client.pay({ order_id }, key, ASYNC);
    for (const waitS of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]) {
      await system.sweep();
      const { attempts, ...found } = await row(json.id);
      expect(found).toEqual({ state: 'queued', wait_s: waitS, has_slot: true });
      await system.advance(waitS * 1_000 - 500);
      await system.sweep();
      expect((await row(json.id)).attempts).toBe(attempts); // not before its time
      await system.advance(500);
    }
    const refused = await system.client.pay({ order_id });
    expect([refused.status, refused.json.code]).toEqual([409, 'payment_unresolved']);

    // Its last wait ends with its key, not after it.
    await system.advance(7 * DAY_MS - 65 * MINUTE_MS);
    await makePartitions(system.owner, 'saved_answers', await daysAhead(system.owner, 0, 1));
    for (let pass = 0; pass < 10 && (await row(json.id)).state !== 'finished'; pass++) {
      await system.sweep();
      await system.advance(15 * MINUTE_MS);
    }
    const end = await system.client.pay({ order_id }, key);
    expect([end.status, end.json.code, end.json.retryable]).toEqual([
      402,
      'payment_not_charged',
      false,
    ]);
    expect(end.headers.get('idempotent-replayed')).toBe('true');
    expect((await row(json.id)).has_slot).toBe(false);
    expect(await system.booked('charge')).toHaveLength(1); // the first one's
  });

  it('can be canceled between two tries, which frees its slot', async () => {
    const order_id = randomUUID();
    const { json } = await system.client.pay({ order_id }, randomUUID(), ASYNC);
    await system.sweep();
    expect(await row(json.id)).toMatchObject({ attempts: 1, has_slot: true });
    const canceled = await system.client.send('POST', `/v1/payments/${json.id}/cancel`, {
      headers: { 'idempotency-key': randomUUID() },
    });
    expect([canceled.status, canceled.json.status]).toEqual([200, 'canceled']);
    expect(await row(json.id)).toEqual({
      state: 'canceled',
      wait_s: null,
      has_slot: false,
      attempts: 1,
    });
    await system.advance(DAY_MS);
    await system.sweep();
    expect((await row(json.id)).attempts).toBe(1);
  });
});

const KILLS = [
  { point: 'c5:2', left: ['started'] },
  { point: 'c6:2', left: ['started'] },
  { point: 'c7:1', left: ['started'] },
  { point: 'c12:1', left: ['started', 'finished'] },
  { point: 'c13:1', left: ['finished'] },
];

describe('a worker that dies over queued payments', () => {
  const workers = new Processes();
  let system: ProcessSystem;
  let api: ServiceProcess;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    api = await system.api(system.lasting);
  });
  afterEach(() => workers.endAll());
  afterAll(() => system.close());

  const queue = async (body: object, count: number) => {
    const keys = Array.from({ length: count }, () => randomUUID());
    const heard = await Promise.all(
      keys.map((key) => system.pay(api, key, body, { headers: ASYNC })),
    );
    expect(new Set(heard.map(({ status }) => status))).toEqual(new Set([202]));
    return keys;
  };
  const states = async () => {
    const { rows } = await system.owner.query(
      'SELECT state, count(*)::int AS n FROM idempotency_keys GROUP BY state',
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  };

  const sessionsOfWorkers = async (): Promise<number> => {
    const { rows } = await system.owner.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'recovery-worker%'`,
    );
    return rows[0].n;
  };

  it.each(KILLS.filter(({ point }) => IS_LONG || point === 'c6:2'))(
    'at $point leaves one charge, and another one finishes',
    async ({ point, left }) => {
      const [key = ''] = await queue({}, 1);
      // The first passage asks for our account there.
      const victim = await system.worker(workers, `${point}:kill`);
      expect(await victim.exit).toEqual({ code: null, signal: 'SIGKILL' });
      await until(async () => (await sessionsOfWorkers()) === 0); // what it had sent may still be running
      const before = await readBooks(system, key);
      expect(left).toContain(before.key?.state);
      if (before.key?.state === 'started') await system.worker(workers);
      await until(async () => (await readBooks(system, key)).key?.state === 'finished');
      const books = await readBooks(system, key);
      expect(disagreements(books, [await system.pay(api, key)])).toEqual([]);
      const [open] = before.attempts;
      if (open?.outcome === null) expect(books.attempts).toHaveLength(2);
      else expect(books).toEqual(before);
    },
  );

  it.runIf(IS_LONG)(
    'in the middle of a batch leaves nothing undone and nothing twice',
    async () => {
      const keys = await queue({ payment_method: 'pm_test_slow_1000' }, 30);
      const env = { LEASE_MS: '120000' }; // longer than this test waits for anything
      const victim = await system.worker(workers, '', env);
      await until(async () => ((await states())['started'] ?? 0) >= 10);
      victim.kill('SIGKILL');
      await victim.exit;
      await Promise.all([1, 2].map(() => system.worker(workers, '', env)));
      await until(async () => {
        const { started = 0, queued = 0 } = await states();
        return started + queued === 0;
      });
      const body = { payment_method: 'pm_test_slow_1000' };
      for (const key of keys) {
        const replay = await system.pay(api, key, body);
        expect(disagreements(await readBooks(system, key), [replay])).toEqual([]);
      }
    },
  );
});
