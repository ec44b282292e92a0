import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { Sessions } from '#testing/sessions.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

describe('locks that somebody holds', () => {
  const victims = new Processes();
  const sessions = new Sessions();
  let system: ProcessSystem;
  let api: ServiceProcess;
  let holder: ChildProcess | undefined;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    api = await system.api(system.lasting);
  });
  afterEach(async () => {
    holder?.kill('SIGKILL');
    await victims.endAll();
  });
  afterAll(async () => {
    await sessions.close();
    await system?.close();
  });

  it('are free soon after a kill -9 of their holder, though its statement would run on', async () => {
    const paymentId = await pay();
    const { appUrl } = system.database;
    holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, appUrl, paymentId], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout!, 'data');
    const other = await sessions.open(system.database.url);
    await other.query(`SET lock_timeout = '${HELD_MS / 3} ms'`);
    const { rows } = await other.query('SELECT pg_backend_pid() AS pid');
    const waiting = other.query('UPDATE payments SET description = NULL WHERE id = $1', [
      paymentId,
    ]);
    await untilBlocked(rows[0].pid);
    holder.kill('SIGKILL');
    expect((await waiting).rowCount).toBe(1); // else 55P03, long before the statement would have ended
  });

  it('in a transaction of a process that stands still are free when its idle time is over', async () => {
    const paymentId = await pay();
    const { rows } = await system.owner.query('SELECT processor_id FROM payments WHERE id = $1', [
      paymentId,
    ]);
    await system.mockClient.control('POST', 'events', {
      kind: 'dispute_opened',
      payment_intent: rows[0].processor_id,
      amount: 1000,
    });
    // No API is told: the worker fetches what it missed, and stops while it holds the payment.
    const stopped = await system.worker(victims, 'w4:1:stop');
    await system.advance(120_000);
    await stopped.untilStopped();
    const path = `/v1/payments/${paymentId}/refunds`;
    const key = randomUUID();
    const heard = new Set<number | null>();
    await until(async () => {
      const { status } = await system.post(api, { path, key, body: { amount: 500 } });
      heard.add(status);
      return status === 201;
    }, 60_000);
    expect([...heard].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    stopped.kill('SIGCONT');
    await system.advance(120_000);
    await until(async () => {
      const { rows: disputes } = await system.owner.query(
        'SELECT amount::int FROM disputes WHERE payment_id = $1',
        [paymentId],
      );
      return disputes.length === 1;
    }, 60_000);
  });

  it('on whole tables, as by a migration: 503 in bounded time for all, nothing half done, then on', async () => {
    const migration = await sessions.open(system.database.url);
    await migration.query('BEGIN; LOCK TABLE payments IN ACCESS EXCLUSIVE MODE');
    const keys = Array.from({ length: 25 }, () => randomUUID()); // more than a pool has connections
    const refused = await Promise.all(keys.map((key) => system.pay(api, key, { order_id: key })));
    for (const answer of refused) {
      expect(answer.status, answer.text).toBe(503);
      expect(answer.headers['retry-after']).toBeDefined();
    }
    expect((await system.get(api, '/health/live')).status).toBe(200);
    await migration.query('COMMIT');
    for (const key of keys) {
      const answer = await system.pay(api, key, { order_id: key });
      expect(answer.status, answer.text).toBe(201);
      expect(disagreements(await readBooks(system, key), [answer])).toEqual([]);
    }
  });

  it.each([
    { what: 'a deadlock', code: '40P01' },
    { what: 'a serialization failure', code: '40001' },
  ])('and $what: a claim that it undid is run again, once', async ({ code }) => {
    const undone = randomUUID();
    const always = randomUUID();
    await failClaims(code, undone, always);
    try {
      const answer = await system.pay(api, undone, { order_id: undone });
      expect(answer.status, answer.text).toBe(201);
      expect(disagreements(await readBooks(system, undone), [answer])).toEqual([]);
      const refused = await system.pay(api, always, { order_id: always });
      expect(refused.status, refused.text).toBe(503);
      expect((await readBooks(system, always)).charges).toEqual([]);
    } finally {
      await system.owner.query('DROP TRIGGER fail_here ON payments; DROP SEQUENCE failed_claims');
    }
    expect((await system.pay(api, always, { order_id: always })).status).toBe(201);
  });

  async function pay(): Promise<string> {
    const { status, text } = await system.pay(api, randomUUID());
    expect(status, text).toBe(201);
    return JSON.parse(text).id;
  }

  async function untilBlocked(pid: number): Promise<void> {
    const looks = 'SELECT cardinality(pg_blocking_pids($1)) AS blockers';
    await until(async () => {
      const { rows } = await system.owner.query(looks, [pid]);
      return rows[0].blockers > 0;
    });
  }

  /** A sequence counts what a transaction that is undone cannot. */
  async function failClaims(code: string, undone: string, always: string): Promise<void> {
    await system.owner.query(`
      CREATE SEQUENCE failed_claims;
      GRANT USAGE ON failed_claims TO PUBLIC;
      CREATE OR REPLACE FUNCTION fail_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.order_id = '${always}' OR NEW.order_id = '${undone}' AND nextval('failed_claims') = 1
        THEN RAISE EXCEPTION 'the test fails here' USING ERRCODE = '${code}'; END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER fail_here BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION fail_here()`);
  }
});

const HELD_MS = 60_000;

/** Locks a payment and then runs one long statement, with the limits of the services' role but this one. */
const HOLDER = `
  import pg from 'pg';
  const [url, id] = process.argv.slice(-2);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET statement_timeout = 0; BEGIN');
  await client.query('SELECT FROM payments WHERE id = $1 FOR UPDATE', [id]);
  process.stdout.write('held');
  await client.query('SELECT pg_sleep(${HELD_MS / 1000})');
`;
