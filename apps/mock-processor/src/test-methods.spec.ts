import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockAnswer, MockClient } from '#testing/mock-client.js';
import { startMockProcessor, type Mock } from './server.js';

/** What each test method does on the wire, first send and re-send, and how often it charged. */
let folder: string;
let mock: Mock;
let client: MockClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-methods-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  client = new MockClient(mock.url);
});

afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

describe('a first send', () => {
  test.each([
    ['lose_request', 0, 200, null],
    ['lose_response', 1, 200, 'true'],
    ['timeout_not_charged', 0, 200, null],
    ['timeout_charged', 1, 200, 'true'],
    ['garbage', 1, 200, 'true'],
    ['error_charged', 1, 500, 'true'],
    ['error_not_charged', 0, 500, 'true'],
    ['busy', 0, 200, null],
    ['down', 0, 200, null],
  ])('of %s charges %i time(s), and a re-send gets %i', async (name, charges, status, replayed) => {
    const before = await client.chargeCount();
    const first = await firstSend(name);
    expect(first).toBe(FIRST_ANSWERS[name]);
    expect((await client.chargeCount()) - before).toBe(charges);
    for (const marker of [replayed, 'true']) {
      const again = await client.charge(`pm_test_${name}`, { key: name, intent: name });
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([status, marker]);
    }
    const total = name === 'error_not_charged' ? 0 : 1;
    expect((await client.chargeCount()) - before).toBe(total);
    const found = await client.get(
      `/v1/payment_intents/search?query=${encodeURIComponent(`metadata['payonce_intent']:'${name}'`)}`,
    );
    expect(found.json.data).toHaveLength(total);
  });

  test('of garbage is half a page of HTML with a 200', async () => {
    const answer = await client.charge('pm_test_garbage', { key: 'garbage-2' });
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.text).toMatch(/^<html>[^]*<h1>It wor$/);
  });

  test('of busy says that it was refused by the limiter, with Retry-After', async () => {
    const answer = await client.charge('pm_test_busy', { key: 'busy-2' });
    expect(answer.json.error.code).toBe('rate_limit');
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  test('of slow waits, charges once, and is a conflict meanwhile', async () => {
    const before = await client.chargeCount();
    const startedMs = performance.now();
    const first = client.charge('pm_test_slow_400', { key: 'slow' });
    await until(async () => (await client.control('GET', 'state')).json.running_keys === 1);
    expect((await client.chargeCount()) - before).toBe(0);
    const meanwhile = await client.charge('pm_test_slow_400', { key: 'slow' });
    expect([meanwhile.status, meanwhile.json.error.code]).toEqual([409, 'idempotency_key_in_use']);
    const answer = await first;
    expect(answer.status).toBe(200);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(390);
    const again = await client.charge('pm_test_slow_400', { key: 'slow' });
    expect(again.text).toBe(answer.text);
    expect((await client.chargeCount()) - before).toBe(1);
  });

  test('a caller who hangs up does not stop a slow charge', async () => {
    const before = await client.chargeCount();
    const impatient = AbortSignal.timeout(50);
    await expect(chargeUntil('pm_test_slow_300', 'slow-2', impatient)).rejects.toThrow(/timeout/);
    await until(async () => (await client.chargeCount()) - before === 1);
  });

  test('without a key is always a first send', async () => {
    const answers = [await client.charge('pm_test_down'), await client.charge('pm_test_down')];
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  });
});

/** How the first send looks from outside, in words. */
const FIRST_ANSWERS: Record<string, string> = {
  lose_request: 'connection lost',
  lose_response: 'connection lost',
  timeout_not_charged: 'no answer',
  timeout_charged: 'no answer',
  garbage: '200 text/html',
  error_charged: '500 api_error',
  error_not_charged: '500 api_error',
  busy: '429 invalid_request_error',
  down: '503 api_error',
};

async function firstSend(name: string): Promise<string> {
  const patience = AbortSignal.timeout(name.startsWith('timeout') ? 500 : 10_000);
  try {
    const { status, headers, text } = await chargeUntil(`pm_test_${name}`, name, patience);
    if (status === 200) return `200 ${headers.get('content-type')?.split(';')[0]}`;
    return `${status} ${JSON.parse(text).error.type}`;
  } catch {
    return patience.aborted ? 'no answer' : 'connection lost';
  }
}

async function chargeUntil(method: string, key: string, signal: AbortSignal) {
  const body = new URLSearchParams({
    amount: '2500',
    currency: 'myr',
    confirm: 'true',
    payment_method: method,
    'metadata[payonce_intent]': key,
  });
  const headers = { authorization: 'Bearer sk_test_mock', 'idempotency-key': key };
  const url = `${mock.url}/v1/payment_intents`;
  const response = await fetch(url, { method: 'POST', body, headers, signal });
  return new MockAnswer(response.status, response.headers, await response.text());
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error('it did not come to hold in 10 s');
  }
}
