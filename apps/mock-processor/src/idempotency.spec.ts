import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MockClient } from '#testing/mock-client.js';
import { startMockProcessor, type Mock } from './server.js';

/** Stripe's rules for keys, and what each other mode does in their place. */
const HOUR_MS = 3_600_000;

let folder: string;
let mock: Mock;
let client: MockClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-keys-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  client = new MockClient(mock.url);
});

afterEach(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

describe('as at Stripe', () => {
  test('one key gets one answer, byte for byte, with the first request named', async () => {
    const first = await client.charge('pm_1', { key: 'k' });
    const again = await client.charge('pm_1', { key: 'k' });
    expect(again.text).toBe(first.text);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('idempotency-key')).toBe('k');
    expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
  });

  test('a replay is history: it does not know of a refund', async () => {
    const first = await client.charge('pm_1', { key: 'k', 'expand[]': 'latest_charge' });
    await client.post('/v1/refunds', { payment_intent: first.json.id });
    const again = await client.charge('pm_1', { key: 'k', 'expand[]': 'latest_charge' });
    expect(again.json.latest_charge.amount_refunded).toBe(0);
  });

  test('the order of the parameters does not matter, their values do', async () => {
    const send = (body: string) =>
      client.send('POST', '/v1/payment_intents', {
        body,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': 'k',
        },
      });
    const first = await send('amount=1&currency=usd&metadata[a]=1');
    const turned = await send('metadata%5Ba%5D=1&currency=usd&amount=1');
    const other = await send('metadata[a]=2&currency=usd&amount=1');
    expect(turned.text).toBe(first.text);
    expect([other.status, other.json.error.type]).toEqual([400, 'idempotency_error']);
  });

  test('what was refused before any work is not kept', async () => {
    const wrong = await client.charge('pm_1', { key: 'k', amount: '0' });
    expect(wrong.status).toBe(400);
    expect((await client.charge('pm_1', { key: 'k' })).status).toBe(200);
    const { json } = await client.charge('pm_1', { key: 'k2', capture_method: 'manual' });
    const capture = (amount: string) =>
      client.post(`/v1/payment_intents/${json.id}/capture`, { amount_to_capture: amount }, 'k3');
    expect((await capture('9999')).status).toBe(400);
    expect((await capture('2000')).status).toBe(200);
  });

  test('twenty equal requests at once charge once', async () => {
    const send = () => client.charge('pm_1', { key: 'k' });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const bodies = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text));
    expect(bodies.size).toBe(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await client.chargeCount()).toBe(1);
  });

  test('a key is new again after 24 hours of the mock’s own clock', async () => {
    const first = await client.charge('pm_1', { key: 'k' });
    await client.advance(24 * HOUR_MS - 60_000);
    expect((await client.charge('pm_1', { key: 'k' })).text).toBe(first.text);
    await client.advance(60_000);
    expect((await client.charge('pm_1', { key: 'k' })).json.id).not.toBe(first.json.id);
    expect(await client.chargeCount()).toBe(2);
  });
});

describe('mode', () => {
  test('pin_5xx keeps a 503 that did no work', async () => {
    await client.faults({ mode: 'pin_5xx' });
    expect(await statuses('pm_test_down')).toEqual([503, 503, 503]);
    expect(await client.chargeCount()).toBe(0);
  });

  test('forget_non_2xx runs a failed request again, which charges twice', async () => {
    await client.faults({ mode: 'forget_non_2xx' });
    expect(await statuses('pm_test_error_charged')).toEqual([500, 200, 200]);
    expect(await client.chargeCount()).toBe(2);
    expect(await statuses('pm_test_error_not_charged')).toEqual([500, 200, 200]);
    expect(await client.chargeCount()).toBe(3);
  });

  test.each([
    ['running_409', 409],
    ['running_422', 422],
    ['running_429', 429],
  ])('%s answers %i while the first is running', async (mode, status) => {
    await client.faults({ mode });
    const first = client.charge('pm_test_slow_500', { key: 'k' });
    await untilRunning();
    const second = await client.charge('pm_test_slow_500', { key: 'k' });
    expect([second.status, second.json.error.code]).toEqual([status, 'idempotency_key_in_use']);
    expect(second.headers.get('transient-error')).toBe(status === 422 ? 'true' : null);
    const other = await client.charge('pm_test_slow_500', { key: 'k', amount: '1' });
    expect([other.status, other.json.error.type]).toEqual([400, 'idempotency_error']);
    expect((await first).status).toBe(200);
  });

  test('limiter_before_keys refuses the first re-send of a finished request', async () => {
    await client.faults({ mode: 'limiter_before_keys' });
    expect(await statuses('pm_1')).toEqual([200, 429, 200]);
    await client.faults({ mode: 'limiter_before_keys', fault: 'busy' });
    expect(await statuses('pm_1')).toEqual([429, 429, 429]);
    await client.faults({ fault: 'busy' });
    expect(await statuses('pm_1')).toEqual([200, 200, 200]);
    expect((await client.charge('pm_1', { key: 'unseen' })).status).toBe(429);
    expect(await client.chargeCount()).toBe(1);
  });

  test('forget_after_ttl forgets after an hour, or when it is told to', async () => {
    await client.faults({ mode: 'forget_after_ttl' });
    const first = await client.charge('pm_1', { key: 'k' });
    await client.advance(HOUR_MS - 60_000);
    expect((await client.charge('pm_1', { key: 'k' })).text).toBe(first.text);
    await client.advance(60_000);
    expect((await client.charge('pm_1', { key: 'k' })).json.id).not.toBe(first.json.id);
    await client.faults({ mode: 'forget_after_ttl', ttl_ms: 1000 });
    await client.advance(1000);
    await client.charge('pm_1', { key: 'k' });
    expect(await client.chargeCount()).toBe(3);
  });

  test('current_state_replay shows the object of today', async () => {
    await client.faults({ mode: 'current_state_replay' });
    const charge = { key: 'k', 'expand[]': 'latest_charge' };
    const { json } = await client.charge('pm_1', charge);
    await client.post('/v1/refunds', { payment_intent: json.id });
    const again = await client.charge('pm_1', charge);
    expect(again.json).toMatchObject({ id: json.id, latest_charge: { amount_refunded: 2500 } });
    expect(await statuses('pm_test_error_charged', 'k2')).toEqual([500, 200, 200]);
    expect(await client.chargeCount()).toBe(2);
  });

  test('no_keys charges each time, also under a key that was kept before', async () => {
    await client.charge('pm_1', { key: 'k-pm_1' });
    await client.faults({ mode: 'no_keys' });
    expect(await statuses('pm_1')).toEqual([200, 200, 200]);
    expect(await client.chargeCount()).toBe(4);
    expect(await statuses('pm_test_down')).toEqual([503, 200, 200]);
    expect(await client.chargeCount()).toBe(6);
  });

  test('not_found_window hides a new object for a while, however it is asked for', async () => {
    await client.faults({ mode: 'not_found_window' });
    const { json } = await client.charge('pm_1', { key: 'k', intent: 'i' });
    const query = encodeURIComponent("metadata['payonce_intent']:'i'");
    const seen = async () => [
      (await client.get(`/v1/payment_intents/${json.id}`)).status,
      (await client.get(`/v1/payment_intents/search?query=${query}`)).json.data.length,
      (await client.get('/v1/payment_intents')).json.data.length,
      (await client.get('/v1/events?type=payment_intent.succeeded')).json.data.length,
    ];
    expect(await seen()).toEqual([404, 0, 0, 0]);
    expect((await client.charge('pm_1', { key: 'k', intent: 'i' })).json.id).toBe(json.id);
    await client.advance(5_000);
    expect(await seen()).toEqual([200, 1, 1, 1]);
  });

  test('stored_io_error keeps a 500 for whatever failed on the way', async () => {
    await client.faults({ mode: 'stored_io_error' });
    for (const [name, charges] of [
      ['lose_request', 0],
      ['lose_response', 1],
      ['down', 1],
      ['garbage', 2],
    ] as const) {
      await client.charge(`pm_test_${name}`, { key: name }).catch(() => null);
      const again = await client.charge(`pm_test_${name}`, { key: name });
      expect([again.status, again.json.error.code]).toEqual([500, 'io_error']);
      expect(await client.chargeCount()).toBe(charges);
    }
    expect((await client.charge('pm_1', { key: 'k' })).status).toBe(200);
  });
});

async function statuses(method: string, key = 'k'): Promise<number[]> {
  const seen: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    seen.push((await client.charge(method, { key: `${key}-${method}` })).status);
  }
  return seen;
}

async function untilRunning(): Promise<void> {
  const deadlineMs = performance.now() + 5_000;
  while ((await client.control('GET', 'state')).json.running_keys !== 1) {
    if (performance.now() > deadlineMs) throw new Error('no request came to run in 5 s');
  }
}
