import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropPartitions, makePartitions } from '#postgres/daily-partitions.js';
import { Sessions, refusalOf } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';
import { partitionSweep } from '../../apps/recovery-worker/src/partitions.js';

const DAY_MS = 86_400_000;
/** No midnight passes while a test runs, however long it takes. */
const MORNING = '06:00:00';

describe('partitions of saved answers', () => {
  const sessions = new Sessions();
  let system: System;
  let maintenance: pg.Client;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    maintenance = await sessions.open(system.database.maintenanceUrl);
    await advanceTo(MORNING);
  });
  afterAll(async () => {
    await sessions.close();
    await system.close();
  });
  const sweep = () => partitionSweep(system.core, system.database.maintenanceUrl).runOnce();

  it('exist for a week ahead after each pass of the worker', async () => {
    for (let days = 0; days < 2; days++) {
      await sweep();
      expect(await partitions()).toEqual(expect.arrayContaining(await daysFromToday(0, 7)));
      await system.advance(DAY_MS);
    }
  });

  it('are kept as long as any answer in them is promised, and then dropped', async () => {
    const key = randomUUID();
    await advanceTo('23:59:00'); // late, but not so late that a slow payment is recorded tomorrow
    const first = await system.client.pay({}, key);
    expect(first.status, first.text).toBe(201);
    const day = await answerDay(first.json.id);
    await system.advance(7 * DAY_MS - 60_000);
    await sweep();
    expect(await partitions()).toContain(day);
    expect((await system.client.pay({}, key)).text).toBe(first.text);
    await system.advance(2 * DAY_MS);
    await sweep();
    expect(await partitions()).not.toContain(day);
    const late = await system.client.pay({}, key);
    expect([late.status, late.json.code, late.json.payment_id]).toEqual([
      409,
      'idempotency_key_expired',
      first.json.id,
    ]);
    await advanceTo(MORNING);
    await sweep();
  });

  it('are finished by the next pass when a worker died between detach and drop', async () => {
    const [old] = await plantOldDays('2020-01-01');
    await maintenance.query(`ALTER TABLE saved_answers DETACH PARTITION ${old} CONCURRENTLY`);
    await sweep();
    expect(await tableExists(old)).toBe(false);
  });

  it('are finished by the next pass when a detach was cut off in the middle', async () => {
    const [old = ''] = await plantOldDays('2020-01-01');
    const reader = await sessions.open(system.database.appUrl);
    await reader.query('BEGIN; SELECT count(*) FROM saved_answers');
    await maintenance.query('SET statement_timeout = 300');
    const detach = `ALTER TABLE saved_answers DETACH PARTITION ${old} CONCURRENTLY`;
    expect(await refusalOf(maintenance, detach)).toMatchObject({ code: '57014' });
    await maintenance.query('RESET statement_timeout');
    await reader.query('COMMIT');
    expect(await pendingDetaches()).toEqual([old]);
    const paid = await system.client.pay();
    expect(paid.status, paid.text).toBe(201);
    await sweep();
    expect(await tableExists(old)).toBe(false);
    expect(await pendingDetaches()).toEqual([]);
  });

  it('are made and dropped once by any number of workers, while payments go on', async () => {
    const olds = await plantOldDays('2020-01-01', '2020-01-02', '2020-01-03');
    const ahead = (await daysFromToday(10, 12)).map((name) => name.slice(-10).replaceAll('_', '-'));
    const workers = await Promise.all(
      Array.from({ length: 4 }, () => sessions.open(system.database.maintenanceUrl)),
    );
    let working = true;
    const paying = payWhile(() => working);
    const results = await Promise.allSettled([
      ...workers.map((session) => makePartitions(session, 'saved_answers', ahead)),
      ...workers.map(async () => sweep()),
    ]);
    working = false;
    expect(await paying).toBeGreaterThan(0);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);

    for (const old of olds) expect(await tableExists(old)).toBe(false);
    expect(await partitions()).toEqual(expect.arrayContaining(await daysFromToday(10, 12)));
  });

  it('of today missing: the record is refused whole, and recovery finishes once it exists', async () => {
    const today = (await daysFromToday(0, 0))[0] ?? '';
    await maintenance.query(`DROP TABLE ${today}`);
    const key = randomUUID();
    const first = await system.client.pay({ order_id: key }, key);
    expect(first.status, first.text).toBe(202);
    const refused = system.log.filter(({ event }) => event === 'record_refused');
    expect(refused).toMatchObject([{ level: 'critical', payment_id: first.json.id }]);
    expect(await changedBy(first.json.id)).toEqual({
      status: 'pending',
      state: 'started',
      entries: 0,
      events: 0,
    });
    await sweep();
    const settled = await system.settle(first.json.id);
    expect(settled.json.status).toBe('succeeded');
    expect(await system.booked('charge')).toHaveLength(await chargesInLedger());
    const replay = await system.client.pay({ order_id: key }, key);
    expect(replay.status).toBe(201);
  });

  it('are never dropped for a day that is kept', async () => {
    const today = (await daysFromToday(0, 0))[0] ?? '';
    const dropped = await dropPartitions(
      maintenance,
      'saved_answers',
      today.slice(-10).replaceAll('_', '-'),
    );
    expect(dropped).not.toContain(today);
    expect(await partitions()).toContain(today);
  });

  /** Names of attached partitions. */
  async function partitions(): Promise<string[]> {
    const { rows } = await system.owner.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'saved_answers'::regclass`,
    );
    return rows.map(({ name }) => name);
  }

  async function pendingDetaches(): Promise<string[]> {
    const { rows } = await system.owner.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits
        WHERE inhparent = 'saved_answers'::regclass AND inhdetachpending`,
    );
    return rows.map(({ name }) => name);
  }

  /** Names of the partitions of these days from today. */
  async function daysFromToday(first: number, last: number): Promise<string[]> {
    const { rows } = await system.owner.query<{ name: string }>(
      `SELECT 'saved_answers_' || to_char(payonce_now() AT TIME ZONE 'UTC' + n * interval '1 day', 'YYYY_MM_DD')
                AS name
         FROM generate_series($1::int, $2::int) AS n`,
      [first, last],
    );
    return rows.map(({ name }) => name);
  }

  async function plantOldDays(...days: string[]): Promise<string[]> {
    await makePartitions(maintenance, 'saved_answers', days);
    return days.map((day) => `saved_answers_${day.replaceAll('-', '_')}`);
  }

  async function tableExists(name = ''): Promise<boolean> {
    const { rows } = await system.owner.query('SELECT to_regclass($1) IS NOT NULL AS is', [name]);
    return rows[0].is;
  }

  async function advanceTo(timeOfDay: string): Promise<void> {
    const { rows } = await system.owner.query<{ ms: string }>(
      `SELECT ceil(extract(epoch FROM
                (date_trunc('day', payonce_now() AT TIME ZONE 'UTC') + $1::interval)
                - payonce_now() AT TIME ZONE 'UTC') * 1000)::int::text AS ms`,
      [timeOfDay],
    );
    await system.advance((Number(rows[0]?.ms) + DAY_MS) % DAY_MS);
  }

  async function answerDay(paymentId: string): Promise<string> {
    const { rows } = await system.owner.query(
      `SELECT 'saved_answers_' || to_char(answer_day, 'YYYY_MM_DD') AS name
         FROM idempotency_keys WHERE payment_id = $1`,
      [paymentId],
    );
    return rows[0].name;
  }

  async function changedBy(paymentId: string) {
    const { rows } = await system.owner.query(
      `SELECT p.status, k.state,
              (SELECT count(*)::int FROM ledger_entries WHERE payment_id = p.id) AS entries,
              (SELECT count(*)::int FROM outbox_events WHERE payment_id = p.id) AS events
         FROM payments p JOIN idempotency_keys k ON k.payment_id = p.id
        WHERE p.id = $1`,
      [paymentId],
    );
    return rows[0];
  }

  async function chargesInLedger(): Promise<number> {
    const { rows } = await system.owner.query(
      `SELECT count(*)::int AS is FROM ledger_entries WHERE entry_kind = 'charge'`,
    );
    return rows[0].is;
  }

  async function payWhile(working: () => boolean): Promise<number> {
    let paid = 0;
    while (working() || paid === 0) {
      const { status, text } = await system.client.pay();
      expect(status, text).toBe(201);
      paid += 1;
    }
    return paid;
  }
});
