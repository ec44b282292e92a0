import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import { daysAhead, makePartitions } from '#postgres/daily-partitions.js';
import type { Answer } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { type Books, disagreements, readBooks } from '#testing/three-books.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TIMEOUT_MS = 600;

let system: System;
const env = { PROCESSOR_TIMEOUT_MS: String(TIMEOUT_MS), RECOVERY_TRIES_MAX: '3' };
const start = async () => void (system = await startSystem({ env, bendTime: true }));
const stop = () => system?.close();

const pay = (method: string, key: string, headers = {}) =>
  system.client.pay({ order_id: key, payment_method: `pm_test_${method}` }, key, headers);
const read = (key: string): Promise<Books> =>
  readBooks(
    { owner: system.owner, mockClient: system.mockClient, accountId: system.account.id },
    key,
  );
const said = (event: string) => system.log.filter((line) => line.event === event);

/** Passes of the sweep, each `ms` after the one before. */
async function sweep(passes: number, ms = 1_000): Promise<void> {
  for (let pass = 0; pass < passes; pass++) {
    await system.advance(ms);
    await system.sweep();
  }
}

/** Days later; the worker would have made their partitions on the way. */
async function daysLater(days: number): Promise<void> {
  await system.advance(days * DAY_MS);
  await makePartitions(system.owner, 'saved_answers', await daysAhead(system.owner, 0, 1));
}

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
    const first = await pay(method, key);
    expect(first.status, first.text).toBe(202);
    if (method.startsWith('slow')) {
      await expect.poll(async () => (await read(key)).charges).toHaveLength(1);
    }
    await system.settle(first.json.id, 90);
    const last = await pay(method, key);
    expect(last.headers.get('idempotent-replayed')).toBe('true');
    expect(disagreements(await read(key), [first, last])).toEqual([]);
  });

  it('also when two workers sweep one backlog, each item once', async () => {
    const keys = Array.from({ length: 12 }, () => randomUUID());
    for (const key of keys) expect((await pay('lose_response', key)).status).toBe(202);
    await system.advance(1_000);
    const passes = await Promise.all([system.sweep(), system.sweep(), system.sweep()]);
    const finished = passes.reduce((sum, pass) => sum + (pass[201] ?? 0), 0);
    expect(finished).toBe(keys.length);
    for (const key of keys) {
      const books = await read(key);
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
    const first = await pay('error_not_charged', key);
    expect(first.status, first.text).toBe(202);
    const settled = await system.settle(first.json.id, 90);
    expect(settled.json).toMatchObject({
      status: 'failed',
      failure: { code: 'payment_not_charged' },
    });
    const books = await read(key);
    expect(books.charges).toEqual([]);
    const [send, resend, ...rest] = books.attempts.map(({ action }) => action);
    expect([send, resend]).toEqual(['send', 'send']);
    expect(new Set(rest)).toEqual(new Set(['look_up']));
    const { rows } = await system.owner.query(
      `SELECT extract(epoch FROM p.settled_at - o.stored_error_at)::float8 AS seconds
         FROM operations o JOIN payments p ON p.id = o.payment_id`,
    );
    expect(rows[0].seconds).toBeGreaterThanOrEqual(10);
    const last = await pay('error_not_charged', key);
    expect({ status: last.status, code: last.json.code }).toEqual({
      status: 402,
      code: 'payment_not_charged',
    });
    expect(last.text).toBe((await read(key)).saved[0]?.body.toString());
  });

  it.each([
    ['a 429', { fault: 'busy', mode: 'limiter_before_keys' }],
    ['a 503', { fault: 'down' }],
    ['a refused connection', { fault: 'refuse', for_ms: 5_000 }],
  ])('whatever %s says to a re-send, of a sweep or of the caller', async (_what, fault) => {
    const key = randomUUID();
    const first = await pay('lose_response', key);
    expect(first.status, first.text).toBe(202);
    await system.mockClient.faults(fault);
    await moveDatabaseClock(1_000);
    await system.sweep();
    await expectUnknown(key);
    await moveDatabaseClock(40_000);
    const retried = await pay('lose_response', key);
    expect(retried.status, retried.text).toBe(202);
    await expectUnknown(key);
    await untilMockListens();
    expect((await read(key)).attempts).toMatchObject([
      { actor: 'request', outcome: 'unknown' },
      { actor: 'worker', outcome: 'unknown' },
      { actor: 'request', outcome: 'unknown' },
    ]);
    await proofComes(key, first);
  });

  it('while the first send is still running there, which a re-send is told with 409', async () => {
    const key = randomUUID();
    const first = await pay('slow_5000', key);
    expect(first.status, first.text).toBe(202);
    await sweep(2);
    const retried = await pay('slow_5000', key);
    expect(retried.status, retried.text).toBe(202);
    await expectUnknown(key);
    const details = await system.owner.query(`SELECT detail FROM attempts ORDER BY attempt_no`);
    expect(details.rows[1].detail).toContain('idempotency_key_in_use');
    await expect.poll(() => system.booked('charge'), { timeout: 10_000 }).toHaveLength(1);
    await proofComes(key, first);
  });

  it('where our own key is known with other parameters, until a look-up finds it', async () => {
    const key = randomUUID();
    await system.mockClient.charge('pm_other', { key: processorKey(key), amount: '1' });
    const first = await pay('lose_response', key);
    expect(first.status, first.text).toBe(202);
    await sweep(5, 30_000);
    await expectUnknown(key);
    expect(said('processor_key_mismatch').length).toBeGreaterThan(0);
    expect(said('payment_needs_review')).toHaveLength(1);
    await chargeElsewhere(key);
    await sweep(1, HOUR_MS);
    expect((await read(key)).payment?.status).toBe('succeeded');
  });

  it('past half the processor key window, where only look-ups are made and a person is asked', async () => {
    const key = randomUUID();
    const first = await pay('lose_request', key);
    expect(first.status, first.text).toBe(202);
    await sweep(1, 12 * HOUR_MS);
    expect(said('payment_needs_review')).toHaveLength(1);
    await sweep(3, HOUR_MS);
    const retried = await pay('lose_request', key);
    expect(retried.status, retried.text).toBe(202);
    await expectUnknown(key);
    const books = await read(key);
    expect(books.charges).toEqual([]);
    expect(books.attempts.map(({ action }) => action)).toEqual([
      'send',
      ...Array(5).fill('look_up'),
    ]);
    expect(said('payment_needs_review')).toHaveLength(1);
    await chargeElsewhere(key);
    await sweep(1, HOUR_MS);
    expect((await read(key)).payment?.status).toBe('succeeded');
  });

  it('after its tries, when one critical line calls a person and look-ups go on hourly', async () => {
    const key = randomUUID();
    const first = await pay('timeout_not_charged', key);
    await system.mockClient.faults({ fault: 'garbage' });
    await sweep(4, 31_000);
    expect(said('payment_needs_review')).toEqual([
      expect.objectContaining({ level: 'critical', payment_id: first.json.id, tries: 3 }),
    ]);
    const before = (await read(key)).attempts;
    await sweep(3, 19 * 60_000);
    expect((await read(key)).attempts).toEqual(before);
    await system.mockClient.faults({});
    await sweep(1, 10 * 60_000);
    const after = (await read(key)).attempts.slice(before.length);
    expect(after).toMatchObject([{ action: 'look_up', actor: 'worker', outcome: 'succeeded' }]);
    const last = await pay('timeout_not_charged', key);
    expect(disagreements(await read(key), [first, last])).toEqual([]);
    expect(said('payment_needs_review')).toHaveLength(1);
  });
});

describe('P7: what was never sent waits for its caller', () => {
  beforeEach(start);
  afterEach(stop);

  it('and no sweep sends it; on the sixth day its retry charges once', async () => {
    const key = randomUUID();
    const first = await pay('busy', key);
    expect(first.status, first.text).toBe(503);
    expect(first.json).toMatchObject({ code: 'processor_unavailable' });
    for (let day = 1; day <= 6; day++) {
      await daysLater(1);
      await sweep(2);
    }
    const books = await read(key);
    expect(books).toMatchObject({ key: { state: 'released' }, charges: [] });
    expect(books.attempts).toMatchObject([{ actor: 'request', outcome: 'not_sent' }]);
    const last = await pay('busy', key);
    expect(last.status, last.text).toBe(201);
    expect(disagreements(await read(key), [first, last])).toEqual([]);
  });

  it('also after a refused connection', async () => {
    expect((await system.client.pay()).status).toBe(201); // now our account there is known
    const key = randomUUID();
    await system.mockClient.faults({ fault: 'refuse', for_ms: 4_000 });
    const first = await pay('any', key);
    expect(first.status, first.text).toBe(503);
    await moveDatabaseClock(HOUR_MS);
    await untilMockListens();
    await sweep(3, HOUR_MS);
    expect(await read(key)).toMatchObject({ key: { state: 'released' }, charges: [] });
    const last = await pay('any', key);
    expect(last.status, last.text).toBe(201);
    expect(disagreements(await read(key), [first, last])).toEqual([]);
  });

  it.each(['the sweep', 'the retry itself'])(
    'until the end of its key, when %s closes it as not charged',
    async (who) => {
      const key = randomUUID();
      const first = await pay('busy', key);
      await daysLater(7);
      if (who === 'the sweep') {
        await system.sweep();
        expect((await read(key)).payment?.status).toBe('failed');
      }
      const last = await pay('busy', key);
      expect({ status: last.status, code: last.json.code }).toEqual({
        status: 402,
        code: 'payment_not_charged',
      });
      const books = await read(key);
      expect(books).toMatchObject({ key: { state: 'finished' }, charges: [], ledger: [] });
      expect(last.text).toBe(books.saved[0]?.body.toString());
      const again = await pay('busy', key);
      expect(again.text).toBe(last.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await system.client.get(`/v1/payments/${first.json.payment_id}`)).json.status).toBe(
        'failed',
      );
    },
  );
});

/** Nothing final is said: not failed, not released, no answer saved. */
async function expectUnknown(key: string): Promise<void> {
  const { rows } = await system.owner.query(
    `SELECT k.state, k.answer_day, p.status
       FROM idempotency_keys k JOIN payments p ON p.id = k.payment_id
      WHERE k.key_hash = $1`,
    [hashKey(key)],
  );
  expect(rows).toEqual([{ state: 'started', answer_day: null, status: 'pending' }]);
}

async function proofComes(key: string, first: Answer): Promise<void> {
  await untilMockListens();
  await system.mockClient.faults({});
  await system.settle(first.json.id, 90);
  const last = await system.client.get(`/v1/payments/${first.json.id}`);
  expect(last.json.status).toBe('succeeded');
  expect(disagreements(await read(key), [first])).toEqual([]);
}

/** Without the processor's clock, since it may refuse connections. */
async function moveDatabaseClock(ms: number): Promise<void> {
  await system.owner.query(`UPDATE test_clock SET advance = advance + $1 * interval '1 ms'`, [ms]);
}

async function untilMockListens(): Promise<void> {
  const health = () => system.mockClient.get('/_control/health').then(({ status }) => status);
  await expect.poll(() => health().catch(() => 0), { timeout: 15_000 }).toBe(200);
}

function processorKey(key: string): string {
  return deriveProcessorKey(system.account.id, 'charge', key);
}

/** The charge of this intent turns up, under a key that is not ours. */
async function chargeElsewhere(key: string): Promise<void> {
  const intent = processorKey(key);
  const account = system.account.id;
  const made = await system.mockClient.charge('pm_late', {
    intent,
    'metadata[payonce_account]': account,
  });
  expect(made.status).toBe(200);
}
