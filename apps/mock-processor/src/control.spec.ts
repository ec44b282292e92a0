import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MockClient } from '#testing/mock-client.js';
import { startMockProcessor, type Mock } from './server.js';

let folder: string;
let mock: Mock;
let client: MockClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-control-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  client = new MockClient(mock.url);
});

afterEach(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

describe('the book', () => {
  test('has a line for each movement and for each fee, and for nothing else', async () => {
    const { json } = await client.charge('pm_1', { key: 'k', intent: 'i' });
    await client.charge('pm_card_chargeDeclined', { key: 'k2' });
    const form = { payment_intent: json.id, amount: '500', 'metadata[why]': 'x' };
    const refund = await client.post('/v1/refunds', form, 'k3');
    const metadata = { payonce_intent: 'i' };
    const common = {
      currency: 'myr',
      status: 'succeeded',
      at: expect.stringMatching(/T.*\.\d{3}Z$/),
    };
    expect(await client.book()).toEqual([
      {
        ...common,
        seq: 1,
        operation: 'charge',
        idempotency_key: 'k',
        id: json.id,
        parent: null,
        amount: 2500,
        metadata,
      },
      {
        ...common,
        seq: 2,
        operation: 'fee',
        idempotency_key: 'k',
        id: expect.stringMatching(/^txn_/),
        parent: json.id,
        amount: 103,
        metadata,
      },
      {
        ...common,
        seq: 3,
        operation: 'refund',
        idempotency_key: 'k3',
        id: refund.json.id,
        parent: json.id,
        amount: 500,
        metadata: { why: 'x' },
      },
    ]);
    expect((await client.get('/_control/book?after=2')).json.seq).toBe(3);
    expect((await client.get('/_control/book?after=x')).status).toBe(400);
  });

  test.each([
    [1, 0],
    [30, 0],
    [31, 31],
    [50, 31],
    [17, 0],
    [2500, 103],
    [1000, 59],
    [99_999_999, 2_900_030],
  ])('the fee of %i is %i', async (amount, fee) => {
    const { json } = await client.charge('pm_1', {
      amount: String(amount),
      'expand[]': 'latest_charge.balance_transaction',
    });
    expect(json.latest_charge.balance_transaction).toMatchObject({ fee, net: amount - fee });
  });
});

describe('faults for all traffic', () => {
  test('hit re-sends and reads as well, until they are taken away', async () => {
    await client.charge('pm_1', { key: 'k' });
    await client.faults({ fault: 'down' });
    const send = () => client.charge('pm_1', { key: 'k' });
    expect([await send(), await send()].map(({ status }) => status)).toEqual([503, 503]);
    expect((await client.get('/v1/payment_intents')).status).toBe(503);
    expect((await client.control('DELETE', 'faults')).json).toMatchObject({ fault: null });
    expect((await send()).headers.get('idempotent-replayed')).toBe('true');
  });

  test('end by themselves after the given number of requests', async () => {
    await client.faults({ fault: 'lose_response', times: 2 });
    const send = () =>
      client.charge('pm_1', { key: 'k' }).then(
        ({ status }) => status,
        () => 'lost',
      );
    expect([await send(), await send(), await send()]).toEqual(['lost', 'lost', 200]);
    expect(await client.chargeCount()).toBe(1);
  });

  test.each([
    ['error_charged', 1],
    ['error_not_charged', 0],
  ])('%s is kept under each key', async (fault, charges) => {
    await client.faults({ fault, times: 1 });
    const first = await client.charge('pm_1', { key: 'k' });
    const again = await client.charge('pm_1', { key: 'k' });
    expect([first.status, again.status, again.text]).toEqual([500, 500, first.text]);
    expect(await client.chargeCount()).toBe(charges);
  });

  test('slow delays every answer', async () => {
    await client.faults({ fault: 'slow_150' });
    const startedMs = performance.now();
    await client.get('/v1/events');
    await client.charge('pm_1', { key: 'k' });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(290);
  });

  test.each([
    [{ fault: 'nonsense' }],
    [{ fault: 7 }],
    [{ fault: 'pm_test_down' }],
    [{ mode: 'nonsense' }],
    [{ fault: 'down', times: 0 }],
    [{ fault: 'down', times: 1.5 }],
    [{ fault: 'refuse' }],
    [{ fault: 'refuse', for_ms: 60_001 }],
    [{ fault: 'down', for_ms: 5 }],
    [{ unknown: 1 }],
    [[]],
    ['text'],
  ])('%j is refused and changes nothing', async (body) => {
    await client.faults({ fault: 'slow_1', mode: 'no_keys' });
    const { status, json } = await client.control('PUT', 'faults', body);
    expect([status, json.error.type]).toEqual([400, 'invalid_request_error']);
    const now = (await client.control('GET', 'faults')).json;
    expect(now).toMatchObject({ fault: 'slow_1', mode: 'no_keys', times: null });
  });
});

describe('refuse', () => {
  test('closes the listener, and it opens again by itself', async () => {
    const { json } = await client.faults({ fault: 'refuse', for_ms: 400 });
    expect(json).toMatchObject({ fault: 'refuse', for_ms: 400 });
    expect(await untilAnswer((answer) => answer !== 'ok')).toBe('ECONNREFUSED');
    expect(await untilAnswer((answer) => answer === 'ok')).toBe('ok');
  });

  test('lets running requests end, and their connections with them', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await client.faults({ fault: 'slow_300', times: 1 });
    const running = request('/v1/events', agent);
    const deadlineMs = performance.now() + 5_000;
    while ((await client.control('GET', 'state')).json.faults.times !== 0) {
      if (performance.now() > deadlineMs) throw new Error('the request did not arrive');
    }
    await client.faults({ fault: 'refuse', for_ms: 5_000 });
    expect((await running).statusCode).toBe(200);
    await expect(request('/_control/health', agent)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    agent.destroy();
  });
});

describe('the clock', () => {
  test('moves forward only, and everything is dated by it', async () => {
    await client.charge('pm_1', { key: 'before' });
    const { json } = await client.advance(48 * 3_600_000);
    expect(json.advanced_ms).toBe(172_800_000);
    const after = await client.charge('pm_1', { key: 'after' });
    const [first, , last] = await client.book();
    const between = Date.parse(last?.at ?? '') - Date.parse(first?.at ?? '');
    expect(between).toBeGreaterThanOrEqual(172_800_000);
    expect(after.json.created * 1000).toBeGreaterThan(Date.now() + 172_000_000);
    for (const advance of [-1, 1.5, '1', null]) {
      const { status } = await client.control('POST', 'clock', { advance_ms: advance });
      expect(status).toBe(400);
    }
  });
});

test('the state counts what there is', async () => {
  await client.charge('pm_1', { key: 'k' });
  await client.charge('pm_card_chargeDeclined', { key: 'k2' });
  expect((await client.get('/_control/state')).json).toMatchObject({
    payment_intents: 2,
    charges: 2,
    refunds: 0,
    movements: 2,
    stored_answers: 2,
    events: 6,
  });
  expect((await client.get('/_control/health')).json).toEqual({ status: 'ok', payment_intents: 2 });
});

function request(path: string, agent: Agent): Promise<IncomingMessage> {
  const headers = { authorization: 'Bearer sk_test_mock' };
  return new Promise((resolve, reject) => {
    get(`${mock.url}${path}`, { agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response));
    }).once('error', reject);
  });
}

/** Asks on a connection of its own each time until the answer is the expected one. */
async function untilAnswer(expected: (answer: string) => boolean): Promise<string> {
  const deadlineMs = performance.now() + 10_000;
  for (;;) {
    const answer = await request('/_control/health', new Agent()).then(
      () => 'ok',
      (error: NodeJS.ErrnoException) => error.code ?? 'error',
    );
    if (expected(answer)) return answer;
    if (performance.now() > deadlineMs) throw new Error(`still ${answer} after 10 s`);
  }
}
