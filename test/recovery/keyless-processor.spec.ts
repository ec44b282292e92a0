import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes } from '#testing/processes.js';
import { type System, startSystem } from '#testing/system.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

const KEYLESS = { PROCESSOR_KEY_WINDOW_MS: '0', LEASE_MS: '1800000' };
/** As the mock calls it: every send charges, whatever key it carries. */
const NO_KEYS = { mode: 'no_keys' };

describe('at a processor that keeps no keys', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ env: KEYLESS, bendTime: true });
    await system.mockClient.faults(NO_KEYS);
  });
  afterAll(() => system?.close());

  const pay = (method: string, key: string, headers: Record<string, string> = {}) =>
    system.client.pay({ order_id: key, payment_method: method }, key, headers);
  const read = (key: string) => {
    const { owner, mockClient, account } = system;
    return readBooks({ owner, mockClient, accountId: account.id }, key);
  };
  const actions = async (key: string) => (await read(key)).attempts.map(({ action }) => action);

  it('a payment is charged, and a retry replays it', async () => {
    const key = randomUUID();
    const answers = [await pay('pm_123', key), await pay('pm_123', key)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(disagreements(await read(key), answers)).toEqual([]);
  });

  it('a retry only looks up what may have been sent, and finds it', async () => {
    const key = randomUUID();
    expect((await pay('pm_test_lose_response', key)).status).toBe(202);
    expect((await pay('pm_test_lose_response', key)).status).toBe(201);
    expect(await actions(key)).toEqual(['send', 'look_up']);
    expect(disagreements(await read(key), [])).toEqual([]);
  });

  it('recovery only looks up too, also where a clock that stood ahead wrote the limit', async () => {
    const key = randomUUID();
    const first = await pay('pm_test_lose_response', key);
    await system.owner.query(`UPDATE operations SET send_until = send_until + interval '1 hour'`);
    expect((await system.settle(first.json.id)).json.status).toBe('succeeded');
    expect(await actions(key)).toEqual(['send', 'look_up']);
    expect(disagreements(await read(key), [])).toEqual([]);
  });

  it('what was lost on the way is never sent again: a person decides', async () => {
    const key = randomUUID();
    expect((await pay('pm_test_lose_request', key)).status).toBe(202);
    const review = async () => system.log.some(({ event }) => event === 'payment_needs_review');
    for (let pass = 0; pass < 300 && !(await review()); pass++) {
      await system.advance(1_000);
      await system.sweep();
    }
    expect(await review()).toBe(true);
    const { charges, payment, attempts } = await read(key);
    expect([charges, payment?.status]).toEqual([[], 'pending']);
    const [send, ...looks] = attempts.map(({ action }) => action);
    expect(send).toBe('send');
    expect(looks).toEqual(Array.from({ length: TRIES_MAX - 1 }, () => 'look_up'));
  });

  it('what was proved not sent is sent again, by its caller or from the queue', async () => {
    const [retried, queued] = [randomUUID(), randomUUID()];
    expect((await pay('pm_test_busy', retried)).status).toBe(503);
    expect((await pay('pm_test_busy', retried)).status).toBe(201);
    const accepted = await pay('pm_test_busy', queued, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    await system.settle(accepted.json.id);
    for (const key of [retried, queued]) {
      expect(await actions(key)).toEqual(['send', 'send']);
      expect(disagreements(await read(key), [])).toEqual([]);
    }
  });
});

const TRIES_MAX = 8;

describe('a process that dies after it charged at a processor that keeps no keys', () => {
  const victims = new Processes();
  let system: ProcessSystem;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    await system.mockClient.faults(NO_KEYS);
  });
  afterEach(() => victims.endAll());
  afterAll(() => system?.close());

  it('is taken over early, by a look-up: one charge', async () => {
    // The first passage of `c6` asks for our account.
    const victim = await system.api(victims, 'c6:2:kill', KEYLESS);
    const key = randomUUID();
    const cut = await system.pay(victim, key, { order_id: key });
    expect(await victim.exit).toEqual({ code: null, signal: 'SIGKILL' });
    await system.worker(victims, '', KEYLESS);
    await until(async () => (await readBooks(system, key)).payment?.status === 'succeeded');
    const books = await readBooks(system, key);
    expect(books.attempts.map(({ action }) => action)).toEqual(['send', 'look_up']);
    expect(disagreements(books, [cut])).toEqual([]);
  });
});
