import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropPartitions, makePartitions } from '#postgres/daily-partitions.js';
import type { Answer } from '#testing/http.js';
import { type Node, startNode } from '#testing/node.js';
import { Sessions } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';

const BEFORE = '2026-03-01T23:59:59.900Z';
const AFTER = '2026-03-02T00:00:00.100Z';
const LEVELS = ['read committed', 'repeatable read', 'serializable'];

/** Two APIs whose database sessions live on the two sides of a midnight (UTC). */
describe.each(LEVELS)('around midnight, with sessions that are %s', (level) => {
  let system: System;
  let evening: Node;
  let morning: Node;
  const sessions = new Sessions();
  beforeAll(async () => {
    system = await startSystem();
    await splitTime(system);
    // The level stands on the role, where an administrator may have put it for every session.
    await system.owner.query(`
      DO $$ BEGIN
        EXECUTE format('ALTER ROLE payonce_app IN DATABASE %I SET default_transaction_isolation = %L',
                       current_database(), '${level}');
      END $$`);
    evening = await startNode(system, { 'test.side': 'evening', TimeZone: 'Pacific/Kiritimati' });
    morning = await startNode(system, { 'test.side': 'morning', TimeZone: 'America/Los_Angeles' });
  });
  afterAll(async () => {
    await sessions.close();
    await Promise.all([evening.close(), morning.close()]);
    await system.close();
  });

  it('the settings are really those', async () => {
    const url = new URL(system.database.appUrl);
    url.searchParams.set('options', '-c TimeZone=Pacific/Kiritimati');
    const session = await sessions.open(url.href);
    const { rows } = await session.query(
      `SELECT current_setting('transaction_isolation') AS level, current_setting('TimeZone') AS zone`,
    );
    expect(rows).toEqual([{ level, zone: 'Pacific/Kiritimati' }]);
  });

  it('a key of the evening replays in the morning', async () => {
    const key = randomUUID();
    const first = await evening.client.pay({ order_id: key }, key);
    expect(first.status, first.text).toBe(201);
    const again = await morning.client.pay({ order_id: key }, key);
    expect(again.status, again.text).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await traces(key)).toEqual({ payments: 1, charges: 1, answer_day: '2026-03-01' });
  });

  it('a key on both sides at once is charged once', async () => {
    for (let round = 0; round < 5; round++) {
      const key = randomUUID();
      const sides = [evening, morning, evening, morning, evening, morning];
      const answers = await Promise.all(
        sides.map(({ client }) => client.pay({ order_id: key }, key)),
      );
      expectOneOutcome(answers);
      const { payments, charges } = await traces(key);
      expect({ payments, charges }).toEqual({ payments: 1, charges: 1 });
    }
  });

  it('a payment that takes over midnight is saved on the day of its recording', async () => {
    const key = randomUUID();
    const paying = evening.client.pay({ order_id: key, payment_method: 'pm_test_slow_1500' }, key);
    await untilClaimed(key);
    await system.owner.query(`UPDATE test_sides SET at = $1 WHERE side = 'evening'`, [AFTER]);
    const first = await paying;
    await system.owner.query(`UPDATE test_sides SET at = $1 WHERE side = 'evening'`, [BEFORE]);
    expect(first.status, first.text).toBe(201);
    expect(await traces(key)).toEqual({ payments: 1, charges: 1, answer_day: '2026-03-02' });
    for (const { client } of [evening, morning]) {
      expect(
        (await client.pay({ order_id: key, payment_method: 'pm_test_slow_1500' }, key)).text,
      ).toBe(first.text);
    }
  });

  it('a partition that goes meanwhile stops nobody, and its keys are never charged again', async () => {
    const key = randomUUID();
    const first = await evening.client.pay({ order_id: key }, key);
    expect(first.status, first.text).toBe(201);
    const maintenance = await sessions.open(system.database.maintenanceUrl);
    const dropping = dropPartitions(maintenance, 'saved_answers', '2026-03-02');
    let dropped = false;
    void dropping.then(() => (dropped = true));
    const retries: Answer[] = [];
    while (!dropped || retries.length < 4) {
      retries.push(await morning.client.pay({ order_id: key }, key));
      const fresh = await morning.client.pay({ order_id: randomUUID() });
      expect(fresh.status, fresh.text).toBe(201);
    }
    expect(await dropping).toEqual(['saved_answers_2026_03_01']);
    for (const { status, text, json } of retries) {
      if (status === 201) expect(text).toBe(first.text);
      else expect({ status, code: json.code, payment: json.payment_id }).toEqual(expired(first));
    }
    const last = await morning.client.pay({ order_id: key }, key);
    expect({ status: last.status, code: last.json.code, payment: last.json.payment_id }).toEqual(
      expired(first),
    );
    expect(await traces(key)).toMatchObject({ payments: 1, charges: 1 });
    await makePartitions(maintenance, 'saved_answers', ['2026-03-01']);
  });

  it('no record step was refused on the way', () => {
    expect(system.log.filter(({ level: severity }) => severity === 'critical')).toEqual(
      system.log.filter(({ event }) => event === 'database_not_durable'),
    );
  });

  async function traces(key: string) {
    const { rows } = await system.owner.query(
      `SELECT count(DISTINCT p.id)::int AS payments, count(e.id)::int AS charges,
              max(k.answer_day)::text AS answer_day
         FROM payments p
         LEFT JOIN ledger_entries e ON e.payment_id = p.id AND e.entry_kind = 'charge'
         LEFT JOIN idempotency_keys k ON k.payment_id = p.id
        WHERE p.order_id = $1`,
      [key],
    );
    const ids = await system.owner.query(`SELECT id FROM payments WHERE order_id = $1`, [key]);
    const bookLines = await system.booked('charge');
    const { rows: keys } = await system.owner.query(
      `SELECT processor_key::text AS key FROM operations WHERE payment_id = ANY ($1)`,
      [ids.rows.map(({ id }) => id)],
    );
    const booked = bookLines.filter(({ idempotency_key }) =>
      keys.some((operation) => operation.key === idempotency_key),
    );
    expect(booked).toHaveLength(rows[0].charges);
    return rows[0];
  }

  async function untilClaimed(order: string): Promise<void> {
    const deadline = performance.now() + 10_000;
    while (performance.now() < deadline) {
      const found = await system.owner.query('SELECT 1 FROM payments WHERE order_id = $1', [order]);
      if (found.rowCount !== 0) return;
    }
    throw new Error('The claim never came');
  }
});

function expired(first: Answer) {
  return { status: 409, code: 'idempotency_key_expired', payment: first.json.id };
}

/** Whoever got an answer got the same one; the others are told to wait. */
function expectOneOutcome(answers: Answer[]): void {
  const paid = answers.filter(({ status }) => status === 201);
  const others = answers.filter(({ status }) => status !== 201);
  expect(paid.length).toBeGreaterThan(0);
  expect(new Set(paid.map(({ text }) => text)).size).toBe(1);
  expect(others.map(({ json }) => json.code)).toEqual(
    others.map(() => 'idempotency_key_in_progress'),
  );
}

/** Each session reads the clock of its side; partitions exist for both days. */
async function splitTime({ owner, database }: System): Promise<void> {
  await owner.query(`
    CREATE TABLE test_sides (side text PRIMARY KEY, at timestamptz NOT NULL);
    INSERT INTO test_sides VALUES ('evening', '${BEFORE}'), ('morning', '${AFTER}');
    GRANT SELECT ON test_sides TO PUBLIC;
    CREATE OR REPLACE FUNCTION payonce_now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
      SELECT coalesce(
        (SELECT at FROM public.test_sides WHERE side = current_setting('test.side', true)),
        statement_timestamp())
    $$`);
  const sessions = new Sessions();
  const maintenance = await sessions.open(database.maintenanceUrl);
  await makePartitions(maintenance, 'saved_answers', ['2026-03-01', '2026-03-02']);
  await sessions.close();
}

describe('the trap of keys in daily partitions', () => {
  it('measured: one key is accepted on both sides of midnight', async () => {
    const system = await startSystem();
    const { owner } = system;
    try {
      await owner.query(`
        CREATE TABLE daily_keys (
          account_id uuid NOT NULL, key_hash bytea NOT NULL, claimed_on date NOT NULL,
          PRIMARY KEY (account_id, key_hash, claimed_on)
        ) PARTITION BY RANGE (claimed_on);
        CREATE TABLE daily_keys_1 PARTITION OF daily_keys FOR VALUES FROM ('2026-03-01') TO ('2026-03-02');
        CREATE TABLE daily_keys_2 PARTITION OF daily_keys FOR VALUES FROM ('2026-03-02') TO ('2026-03-03')`);
      const claim = (at: string) =>
        owner.query(
          `INSERT INTO daily_keys VALUES ($1, '\\x01', ($2::timestamptz AT TIME ZONE 'UTC')::date)
           ON CONFLICT DO NOTHING RETURNING 1`,
          [system.account.id, at],
        );
      expect((await claim(BEFORE)).rowCount).toBe(1);
      expect((await claim(BEFORE)).rowCount).toBe(0); // on one day the rule holds
      expect((await claim(AFTER)).rowCount).toBe(1); // across midnight it does not: a second charge
      await expect(
        owner.query('CREATE UNIQUE INDEX ON daily_keys (account_id, key_hash)'),
      ).rejects.toThrow(/must include all partitioning columns/);
    } finally {
      await system.close();
    }
  });
});
