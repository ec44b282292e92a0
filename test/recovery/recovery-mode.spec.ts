import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECK_KEYS, CHECK_PAYMENTS } from '#operations/invariants.sql.js';
import { importSince } from '#payments/import-since.js';
import type { Deps } from '#payments/deps.js';
import { enterRecovery } from '#payments/recovery.js';
import { sweepLeases } from '#payments/sweep-leases.js';
import { StatementUnconfirmed } from '#postgres/errors.js';
import { backUp, connectTo, databaseNow, restore } from '#testing/back-up.js';
import type { Answer } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { checkBooks } from '../../ops/checker/check.js';
import { dumpDatabase } from '../../ops/checker/dump.js';

let system: System;
let owner: pg.Client;
beforeAll(async () => {
  system = await startSystem({ env: { VISIBILITY_WINDOW_MS: '0' } });
  await live();
});
afterAll(async () => {
  await owner.end();
  await system.close();
});

/** What its callers knew before the database was lost. */
const known: Record<string, { key: string; body: object; answer: Answer }> = {};
let since = new Date(0);

/** Life before the backup, life after it, and the loss of the second. */
async function live(): Promise<void> {
  await pay('kept', { order_id: 'kept' });
  await pay('keptHold', { capture: 'manual' });
  await pay('keptRefunded', {});
  await pay('keptUnknown', { payment_method: 'pm_test_lose_response' });
  const backup = await backUp(system.database.url);
  since = await databaseNow(system.database.url);
  await pay('lost', { order_id: 'lost', description: 'two shirts', metadata: { a: '1' } });
  await pay('lostOrder', { order_id: 'twice' });
  await pay('lostRefunded', {});
  await pay('lostHold', { capture: 'manual' });
  await pay('lostCaptured', { capture: 'manual' });
  await pay('lostVoided', { capture: 'manual' });
  await pay('lostDeclined', { payment_method: 'pm_card_chargeDeclined', order_id: 'declined' });
  await pay('lostDisputed', {});
  await step('captureKept', 'keptHold', 'capture', {});
  await step('captureLost', 'lostCaptured', 'capture', { amount: 1000 });
  await step('voidLost', 'lostVoided', 'cancel', undefined);
  await step('refundKept', 'keptRefunded', 'refunds', { amount: 400, reason: 'torn' });
  await step('refundLost', 'lostRefunded', 'refunds', undefined);
  const disputed = known['lostDisputed']?.answer.json.processor.id;
  await system.mockClient.control('POST', 'events', {
    kind: 'dispute_opened',
    payment_intent: disputed,
    amount: 900,
  });
  await restore(system.database.url, backup);
  owner = await connectTo(system.database.url);
  expect(await enterRecovery(system.core.deps.db, since)).toBe(true);
}

describe('a database that was set back, before what it lost is imported', () => {
  it('claims nothing and sends nothing, for any way in, and replays and reads go on', async () => {
    const book = await system.booked();
    const fresh = await system.client.pay({ order_id: 'fresh' });
    expect([fresh.status, fresh.json.code]).toEqual([503, 'recovering']);
    expect(fresh.headers.get('retry-after')).toBe('5');
    const queued = await system.client.pay({}, randomUUID(), { prefer: 'respond-async' });
    expect(queued.json.code).toBe('recovering');
    expect((await retry('lost')).json.code).toBe('recovering');
    expect((await retry('refundKept')).json.code).toBe('recovering');
    const buried = await system.client.post('/v1/cancellations', {
      idempotency_key: known['lost']?.key,
    });
    expect(buried.json.code).toBe('recovering');
    const replay = await retry('kept');
    expect([replay.status, replay.text]).toEqual([201, known['kept']?.answer.text]);
    expect((await system.client.get(`/v1/payments/${id('kept')}`)).status).toBe(200);
    expect((await system.client.get('/health/ready')).status).toBe(200);
    expect(await system.booked()).toEqual(book);
  });

  it('lets the sweeps send nothing either', async () => {
    const { core } = system;
    const { rows } = await owner.query(
      `UPDATE idempotency_keys SET state = 'queued' WHERE payment_id = $1 RETURNING key_hash`,
      [id('keptUnknown')],
    );
    await owner.query(
      `INSERT INTO unresolved (account_id, key_hash, claim_id, payment_id, reason, next_try_at, since)
       SELECT account_id, key_hash, claim_id, payment_id, 'queued', now(), now()
         FROM idempotency_keys WHERE key_hash = $1
       ON CONFLICT (account_id, key_hash) DO UPDATE SET next_try_at = now()`,
      [rows[0].key_hash],
    );
    const attempts = async () =>
      (await owner.query(`SELECT count(*)::int AS sends FROM attempts WHERE action = 'send'`))
        .rows[0].sends;
    const before = await attempts();
    await sweepLeases(core.deps, 'wrk_test');
    expect(await attempts()).toBe(before);
    await owner.query(`UPDATE idempotency_keys SET state = 'started' WHERE key_hash = $1`, [
      rows[0].key_hash,
    ]);
  });

  it('imports nothing before the last sends can be seen, nor while another imports', async () => {
    const { deps } = system.core;
    const late = { ...deps, terms: { ...deps.terms, visibilityWindowMs: 3_600_000 } };
    expect(await importSince(late, randomUUID(), 'wrk_test')).toBeNull();
    await owner.query(
      `UPDATE recoveries SET importer = $1, importing_until = now() + interval '1 hour'`,
      [randomUUID()],
    );
    expect(await importSince(deps, randomUUID(), 'wrk_test')).toBeNull();
    await owner.query('UPDATE recoveries SET importing_until = now()');
  });

  it('goes on where an importer had died between two statements', async () => {
    const { deps } = system.core;
    let takeovers = 0;
    const run: typeof deps.db.run = (statement, values) => {
      const dies = statement.name === 'payments.take_up' && ++takeovers > 2;
      if (dies) throw new StatementUnconfirmed(new Error('killed'));
      return deps.db.run(statement, values);
    };
    const dying = { ...deps, db: { run, transaction: deps.db.transaction.bind(deps.db) } };
    const pass = importSince(dying as unknown as Deps, randomUUID(), 'wrk_test');
    await expect(pass).rejects.toThrow(StatementUnconfirmed);
    const half = `SELECT count(*)::int AS left FROM imported_operations i
                    JOIN payments p ON p.id = i.payment_id WHERE p.status = 'pending'`;
    expect((await owner.query(half)).rows[0].left).toBeGreaterThan(0);
    await owner.query('UPDATE recoveries SET importing_until = now()');
  });

  it('stays closed when a list cannot be read to its end, however much is imported', async () => {
    const { deps } = system.core;
    const processor = {
      ...deps.processor,
      listDisputes: async () => ({ kind: 'failed', detail: 'reset' }) as const,
    };
    const importer = randomUUID();
    const atOnce = await Promise.all([
      importSince({ ...deps, processor }, importer, 'wrk_one'),
      importSince({ ...deps, processor }, importer, 'wrk_two'),
    ]);
    expect(atOnce.map((pass) => pass?.opened)).toEqual([false, false]);
    expect((await system.client.pay()).json.code).toBe('recovering');
  });

  it('imports what is left, once, and opens', async () => {
    const { deps } = system.core;
    const pass = await importSince(deps, randomUUID(), 'wrk_test');
    expect(pass).toMatchObject({ opened: true, ended: { imported: 1 } });
    expect(pass?.ended.refused).toBeUndefined();
    expect(await importSince(deps, randomUUID(), 'wrk_test')).toBeNull();
    expect(await enterRecovery(deps.db, since), 'once for each instant').toBe(false);
    const { rows } = await owner.query(
      `SELECT p.status, count(*)::int AS payments FROM payments p GROUP BY 1 ORDER BY 1`,
    );
    expect(rows).toEqual([
      { status: 'authorized', payments: 1 },
      { status: 'canceled', payments: 1 },
      { status: 'failed', payments: 1 },
      { status: 'succeeded', payments: 9 },
    ]);
    const { rows: booked } = await owner.query(
      `SELECT entry_kind, sum(amount)::int AS amount FROM ledger_entries
        WHERE entry_kind <> 'processor_fee' GROUP BY 1 ORDER BY 1`,
    );
    expect(booked).toEqual([
      { entry_kind: 'capture', amount: 3500 },
      { entry_kind: 'charge', amount: 17_500 },
      { entry_kind: 'dispute', amount: 900 },
      { entry_kind: 'refund', amount: 2900 },
    ]);
    const alarms = system.log.filter(({ level }) => level === 'critical');
    expect(alarms.filter(({ event }) => event !== 'database_not_durable')).toEqual([]);
  });
});

describe('after the import, the retry of a lost request', () => {
  it('answers from the charge that was made, once, with what only its caller knew', async () => {
    const book = await system.booked();
    const first = await retry('lost');
    expect(first.status, first.text).toBe(201);
    const { answer, body } = known['lost']!;
    expect(first.json).toEqual({
      ...answer.json,
      id: expect.any(String),
      created_at: expect.any(String),
      settled_at: expect.any(String),
    });
    expect(first.json.id).not.toBe(answer.json.id);
    expect(first.headers.get('location')).toBe(`/v1/payments/${first.json.id}`);
    const second = await retry('lost');
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const byOrder = await system.client.get('/v1/payments?order_id=lost');
    expect(byOrder.json.data).toEqual([expect.objectContaining({ id: first.json.id, ...body })]);
    const another = await system.client.pay({ order_id: 'lost' });
    expect(another.json).toMatchObject({ code: 'order_already_paid', payment_id: first.json.id });
    expect(await system.booked()).toEqual(book);
  });

  it('refuses another amount and leaves the key to its own request', async () => {
    const { key, answer } = known['lostHold']!;
    const other = await system.client.pay({ capture: 'manual', amount: 1 }, key);
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
    expect((await retry('lostHold')).json.processor.id).toBe(answer.json.processor.id);
  });

  it('opens a break where another payment has the order by now', async () => {
    const rival = await system.client.pay({ order_id: 'twice' });
    expect(rival.status).toBe(201);
    const late = await retry('lostOrder');
    expect(late.status, late.text).toBe(201);
    const operator = await system.newOperator();
    const { json } = await operator.get('/v1/operations/breaks');
    expect(json.data).toEqual([
      expect.objectContaining({
        kind: 'duplicate',
        payment_id: late.json.id,
        severity: 'critical',
      }),
    ]);
    expect(system.log.filter(({ event }) => event === 'order_paid_twice')).toHaveLength(1);
  });

  it('has the same no for a card that was declined', async () => {
    const declined = await retry('lostDeclined');
    expect(declined.status).toBe(402);
    expect(declined.json.decline_code).toBe(known['lostDeclined']?.answer.json.decline_code);
    expect(declined.json.payment.order_id).toBe('declined');
  });

  it('finds captures, voids and refunds, under the new id where the payment has one', async () => {
    const book = await system.booked();
    expect((await retry('captureKept')).json.status).toBe('succeeded');
    expect((await retry('captureKept')).text).toBe((await retry('captureKept')).text);
    const captured = (await retry('lostCaptured')).json.id;
    const again = await retry('captureLost', captured);
    expect([again.status, again.json.amount_captured]).toEqual([200, 1000]);
    const voided = (await retry('lostVoided')).json.id;
    expect((await system.client.get(`/v1/payments/${voided}`)).json.status).toBe('canceled');
    const refund = await retry('refundKept');
    expect([refund.status, refund.json.amount, refund.json.reason]).toEqual([201, 400, 'torn']);
    const refunded = (await retry('lostRefunded')).json.id;
    const whole = await retry('refundLost', refunded);
    expect([whole.status, whole.json.amount, whole.json.payment_id]).toEqual([201, 2500, refunded]);
    const forgotten = await system.client.get(`/v1/payments/${id('lostRefunded')}`);
    expect(forgotten.status).toBe(404);
    expect(await system.booked()).toEqual(book);
  });

  it('cancels nothing under a key whose charge was imported', async () => {
    const { key } = known['lostDisputed']!;
    const cancel = await system.client.post('/v1/cancellations', { idempotency_key: key });
    expect([cancel.status, cancel.json.code]).toEqual([409, 'payment_not_cancelable']);
    const paid = await retry('lostDisputed');
    expect(paid.status).toBe(201);
    const { json } = await system.client.get(`/v1/payments/${paid.json.id}`);
    expect(json.amount_disputed).toBe(900);
  });

  it('leaves books that agree with the processor', async () => {
    const database = await dumpDatabase(owner);
    const processor = await system.mockClient.book();
    expect(checkBooks({ history: [], database, processor }, { quiet: false })).toEqual([]);
    const { rows } = await owner.query('SELECT claim_id FROM idempotency_keys');
    const claims = [rows.map(({ claim_id }) => claim_id)];
    expect(await system.core.deps.db.run(CHECK_KEYS, claims)).toEqual([]);
    expect(await system.core.deps.db.run(CHECK_PAYMENTS, claims)).toEqual([]);
  });
});

async function pay(name: string, body: object): Promise<void> {
  const key = randomUUID();
  known[name] = { key, body, answer: await system.client.pay(body, key) };
}

async function step(name: string, of: string, verb: string, body?: object): Promise<void> {
  const key = randomUUID();
  const answer = await system.client.post(`/v1/payments/${id(of)}/${verb}`, body, key);
  expect(answer.status, answer.text).toBeLessThan(202);
  known[name] = { key, body: { of, verb, body }, answer };
}

/** The very request again; of a step, on the payment's new id where it has one. */
function retry(name: string, paymentId?: string): Promise<Answer> {
  const { key, body } = known[name]!;
  if (!('verb' in body)) return system.client.pay(body, key);
  const { of, verb, body: sent } = body as { of: string; verb: string; body?: object };
  return system.client.post(`/v1/payments/${paymentId ?? id(of)}/${verb}`, sent, key);
}

const id = (name: string): string => known[name]?.answer.json.id;
