import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import { TAKE_DUE } from '#payments/sweep.sql.js';
import type { Answer } from '#testing/http.js';
import { disagreements } from '#testing/three-books.js';
import { HOUR_MS, RecoveryWorld } from './recovery-world.js';

let world: RecoveryWorld;
const start = async () => void (world = await RecoveryWorld.start());
const stop = () => world?.close();

describe('P2: a charge that the processor made is found', () => {
  beforeAll(start);
  afterAll(stop);

  it.each([
    'lose_request',
    'timeout_not_charged',
    'down',
    'lose_response',
    'timeout_charged',
    'garbage',
    'error_charged',
    'slow_1200',
  ])('by the sweep alone, within 90 seconds, after pm_test_%s', async (method) => {
    const key = randomUUID();
    const first = await world.pay(method, key);
    expect(first.status, first.text).toBe(202);
    if (method.startsWith('slow')) {
      await expect.poll(async () => (await world.read(key)).charges).toHaveLength(1);
    }
    await world.system.settle(first.json.id, 90);
    const last = await world.pay(method, key);
    expect(last.headers.get('idempotent-replayed')).toBe('true');
    expect(disagreements(await world.read(key), [first, last])).toEqual([]);
  });

  it('also when three workers sweep one backlog at once, each item once', async () => {
    const keys = Array.from({ length: 12 }, () => randomUUID());
    for (const key of keys) expect((await world.pay('lose_response', key)).status).toBe(202);
    await world.system.advance(1_000);
    // Their connections are open, so that the three below really run at once.
    await Promise.all(
      keys.map((key) => world.system.client.get(`/v1/payments?idempotency_key=${key}`)),
    );
    meetAt(TAKE_DUE.name, 3);
    const passes = await Promise.all([
      world.system.sweep(),
      world.system.sweep(),
      world.system.sweep(),
    ]);
    const finished = passes.reduce((sum, pass) => sum + (pass[201] ?? 0), 0);
    expect(finished).toBe(keys.length);
    for (const key of keys) {
      const books = await world.read(key);
      expect(books.attempts.map(({ actor }) => actor)).toEqual(['request', 'worker']);
      expect(disagreements(books, [])).toEqual([]);
    }
  });
});

describe('P2: what is not known to be charged stays pending', () => {
  beforeEach(start);
  afterEach(stop);

  it('until a replayed error and a look-up past the visibility window prove that nothing was', async () => {
    const key = randomUUID();
    const first = await world.pay('error_not_charged', key);
    expect(first.status, first.text).toBe(202);
    const settled = await world.system.settle(first.json.id, 90);
    expect(settled.json).toMatchObject({
      status: 'failed',
      failure: { code: 'payment_not_charged' },
    });
    const books = await world.read(key);
    expect(books.charges).toEqual([]);
    const [send, resend, ...rest] = books.attempts.map(({ action }) => action);
    expect([send, resend]).toEqual(['send', 'send']);
    expect(new Set(rest)).toEqual(new Set(['look_up']));
    const { rows } = await world.system.owner.query(
      `SELECT extract(epoch FROM p.settled_at - o.stored_error_at)::float8 AS seconds
         FROM operations o JOIN payments p ON p.id = o.payment_id`,
    );
    expect(rows[0].seconds).toBeGreaterThanOrEqual(10);
    const last = await world.pay('error_not_charged', key);
    expect({ status: last.status, code: last.json.code }).toEqual({
      status: 402,
      code: 'payment_not_charged',
    });
    expect(last.text).toBe((await world.read(key)).saved[0]?.body.toString());
  });

  it.each([
    ['a 429', { fault: 'busy', mode: 'limiter_before_keys' }],
    ['a 503', { fault: 'down' }],
    ['a refused connection', { fault: 'refuse', for_ms: 5_000 }],
  ])('whatever %s says to a re-send, of a sweep or of the caller', async (_what, fault) => {
    const key = randomUUID();
    const first = await world.pay('lose_response', key);
    expect(first.status, first.text).toBe(202);
    await world.system.mockClient.faults(fault);
    await world.moveDatabaseClock(1_000);
    await world.system.sweep();
    await expectUnknown(key);
    await world.moveDatabaseClock(40_000);
    const retried = await world.pay('lose_response', key);
    expect(retried.status, retried.text).toBe(202);
    await expectUnknown(key);
    await world.untilMockListens();
    expect((await world.read(key)).attempts).toMatchObject([
      { actor: 'request', outcome: 'unknown' },
      { actor: 'worker', outcome: 'unknown' },
      { actor: 'request', outcome: 'unknown' },
    ]);
    await proofComes(key, first);
  });

  it('while the first send is still running there, which a re-send is told with 409', async () => {
    const key = randomUUID();
    const first = await world.pay('slow_5000', key);
    expect(first.status, first.text).toBe(202);
    await world.sweep(2);
    const retried = await world.pay('slow_5000', key);
    expect(retried.status, retried.text).toBe(202);
    await expectUnknown(key);
    const details = await world.system.owner.query(
      `SELECT detail FROM attempts ORDER BY attempt_no`,
    );
    expect(details.rows[1].detail).toContain('idempotency_key_in_use');
    await expect.poll(() => world.system.booked('charge'), { timeout: 10_000 }).toHaveLength(1);
    await proofComes(key, first);
  });

  it('where our own key is known with other parameters, until a look-up finds it', async () => {
    const key = randomUUID();
    await world.system.mockClient.charge('pm_other', { key: processorKey(key), amount: '1' });
    const first = await world.pay('lose_response', key);
    expect(first.status, first.text).toBe(202);
    await world.sweep(5, 30_000);
    await expectUnknown(key);
    expect(world.said('processor_key_mismatch').length).toBeGreaterThan(0);
    expect(world.said('payment_needs_review')).toHaveLength(1);
    await chargeElsewhere(key);
    await world.sweep(1, HOUR_MS);
    expect((await world.read(key)).payment?.status).toBe('succeeded');
  });

  it('past half the processor key window, where only look-ups are made and a person is asked', async () => {
    const key = randomUUID();
    const first = await world.pay('lose_request', key);
    expect(first.status, first.text).toBe(202);
    await world.sweep(1, 12 * HOUR_MS);
    expect(world.said('payment_needs_review')).toHaveLength(1);
    await world.sweep(3, HOUR_MS);
    const retried = await world.pay('lose_request', key);
    expect(retried.status, retried.text).toBe(202);
    await expectUnknown(key);
    const books = await world.read(key);
    expect(books.charges).toEqual([]);
    expect(books.attempts.map(({ action }) => action)).toEqual([
      'send',
      ...Array(5).fill('look_up'),
    ]);
    expect(world.said('payment_needs_review')).toHaveLength(1);
    await chargeElsewhere(key);
    await world.sweep(1, HOUR_MS);
    expect((await world.read(key)).payment?.status).toBe('succeeded');
  });

  it('after its tries, when one critical line calls a person and look-ups go on hourly', async () => {
    const key = randomUUID();
    const first = await world.pay('timeout_not_charged', key);
    await world.system.mockClient.faults({ fault: 'garbage' });
    await world.sweep(4, 31_000);
    expect(world.said('payment_needs_review')).toEqual([
      expect.objectContaining({ level: 'critical', payment_id: first.json.id, tries: 3 }),
    ]);
    const before = (await world.read(key)).attempts;
    await world.sweep(3, 19 * 60_000);
    expect((await world.read(key)).attempts).toEqual(before);
    await world.system.mockClient.faults({});
    await world.sweep(1, 10 * 60_000);
    const after = (await world.read(key)).attempts.slice(before.length);
    expect(after).toMatchObject([{ action: 'look_up', actor: 'worker', outcome: 'succeeded' }]);
    const last = await world.pay('timeout_not_charged', key);
    expect(disagreements(await world.read(key), [first, last])).toEqual([]);
    expect(world.said('payment_needs_review')).toHaveLength(1);
  });
});

/** Lets so many runs of a statement wait for each other and then start together. */
function meetAt(name: string, count: number): void {
  const { db } = world.system.core.deps;
  const run = db.run.bind(db);
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  let arrived = 0;
  db.run = async (statement, values, sent) => {
    if (statement.name === name) {
      arrived += 1;
      if (arrived === count) open();
      await gate;
    }
    return run(statement, values, sent);
  };
}

/** Nothing final is said: not failed, not released, no answer saved. */
async function expectUnknown(key: string): Promise<void> {
  const { rows } = await world.system.owner.query(
    `SELECT k.state, k.answer_day, p.status
       FROM idempotency_keys k JOIN payments p ON p.id = k.payment_id
      WHERE k.key_hash = $1`,
    [hashKey(key)],
  );
  expect(rows).toEqual([{ state: 'started', answer_day: null, status: 'pending' }]);
}

async function proofComes(key: string, first: Answer): Promise<void> {
  await world.untilMockListens();
  await world.system.mockClient.faults({});
  await world.system.settle(first.json.id, 90);
  const last = await world.system.client.get(`/v1/payments/${first.json.id}`);
  expect(last.json.status).toBe('succeeded');
  expect(disagreements(await world.read(key), [first])).toEqual([]);
}

function processorKey(key: string): string {
  return deriveProcessorKey(world.system.account.id, 'charge', key);
}

/** The charge of this intent turns up, under a key that is not ours. */
async function chargeElsewhere(key: string): Promise<void> {
  const intent = processorKey(key);
  const account = world.system.account.id;
  const made = await world.system.mockClient.charge('pm_late', {
    intent,
    'metadata[payonce_account]': account,
  });
  expect(made.status).toBe(200);
}
