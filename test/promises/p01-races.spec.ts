import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecordingProxy } from '#testing/recording-proxy.js';
import { type System, startSystem } from '#testing/system.js';
import { type RacedAnswer, race } from './race.js';

let processor: RecordingProxy;
let system: System;
beforeAll(async () => {
  processor = await RecordingProxy.start();
  system = await startSystem({ env: { STRIPE_API_BASE: processor.url } });
  processor.target = system.mock.url;
  await warm();
});
afterAll(async () => {
  await system.close();
  await processor.close();
});

const honest = (members: object = {}) =>
  JSON.stringify({ amount: 2500, currency: 'myr', payment_method: 'pm_123', ...members });

describe('P1: requests from several processes, released together', () => {
  it.each([
    { count: 20, processes: 4 },
    { count: 100, processes: 4 },
  ])(
    '$count identical ones from $processes processes: one charge',
    async ({ count, processes }) => {
      const key = randomUUID();
      const before = await books();
      const request = { key, body: honest({ order_id: key }) };
      const answers = await race(
        system.client,
        Array.from({ length: count }, () => request),
        processes,
      );
      expect(answers).toHaveLength(count);
      const charged = answers.filter(({ status }) => status === 201);
      expect(charged.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(charged.map(({ text }) => text)).size).toBe(1);
      const others = answers.filter(({ status }) => status !== 201);
      expect(others.map(codeOf)).toEqual(others.map(() => 'idempotency_key_in_progress'));
      expect(await books()).toEqual(plusOne(before));
      const replay = await system.client.send('POST', '/v1/payments', {
        body: request.body,
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
      });
      expect(replay.text).toBe(charged[0]?.text);
    },
  );

  it('two bodies under one key: one runs, the other is 422, and nothing is left of it', async () => {
    const key = randomUUID();
    const before = await books();
    const requests = Array.from({ length: 20 }, (_, at) => ({
      key,
      body: honest({ amount: at % 2 === 0 ? 100 : 200, payment_method: 'pm_test_slow_300' }),
    }));
    const answers = await race(system.client, requests, 4);
    const [charged] = answers.filter(({ status, replayed }) => status === 201 && !replayed);
    const amount = JSON.parse(charged?.text ?? '{}').amount;
    const { rows } = await system.owner.query(
      'SELECT amount FROM payments ORDER BY id DESC LIMIT 1',
    );
    expect(Number(rows[0].amount)).toBe(amount);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(10);
    expect(answers.filter(({ status }) => ![201, 409, 422].includes(status))).toEqual([]);
    expect(await books()).toEqual(plusOne(before));
  });

  it('twenty keys for one order: one charge, and the other keys stay unused', async () => {
    const order_id = randomUUID();
    const before = await books();
    const requests = Array.from({ length: 20 }, () => ({
      key: randomUUID(),
      body: honest({ order_id }),
    }));
    const answers = await race(system.client, requests, 4);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 201).map(codeOf);
    expect(refused).toHaveLength(19);
    for (const code of refused) expect(code).toMatch(/^(payment_unresolved|order_already_paid)$/);
    expect(await books()).toEqual(plusOne(before));
  });

  it('the refused key of an order runs once the first payment has failed', async () => {
    const order_id = randomUUID();
    const refusedKey = randomUUID();
    const asked = processor.charges.length;
    await system.mockClient.faults({ fault: 'slow_700', times: 1 });
    const first = system.client.pay({ order_id, payment_method: 'pm_card_chargeDeclined' });
    await expect.poll(() => processor.charges.length).toBe(asked + 1);
    const meanwhile = await system.client.pay({ order_id }, refusedKey);
    expect(meanwhile.json.code).toBe('payment_unresolved');
    expect((await first).status).toBe(402);
    expect((await system.client.pay({ order_id }, refusedKey)).status).toBe(201);
  });
});

/** Opens the connections to the database and the processor: the races are about the key, not about them. */
async function warm(): Promise<void> {
  const opened = async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => system.client.pay()));
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  };
  await vi.waitFor(opened, { timeout: 60_000 });
}

type Books = { payments: number; keys: number; ledger: number; asked: number; booked: number };

/** One row each where a charge leaves one: ours, and the processor's. */
async function books(): Promise<Books> {
  const { rows } = await system.owner.query(
    `SELECT (SELECT count(*)::int FROM payments) AS payments,
            (SELECT count(*)::int FROM idempotency_keys) AS keys,
            (SELECT count(*)::int FROM ledger_entries WHERE entry_kind = 'charge') AS ledger`,
  );
  const booked = (await system.booked('charge')).length;
  return { ...rows[0], asked: processor.charges.length, booked };
}

function plusOne(before: Books): Record<string, number> {
  return Object.fromEntries(Object.entries(before).map(([name, count]) => [name, count + 1]));
}

function codeOf({ text }: RacedAnswer): string {
  return JSON.parse(text).code;
}
