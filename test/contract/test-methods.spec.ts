import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import { type World, body, startWorld } from './contract-world.js';
import { expectCharged, expectPending, expectProblem, expectReplay } from './expectations.js';

/** The bent clock moves a second a pass, so that these many passes are as many seconds. */
const SECONDS_MAX = 90;

let world: World;
beforeAll(async () => {
  world = await startWorld({ bendTime: true, env: { PROCESSOR_TIMEOUT_MS: '1500' } });
});
afterAll(() => world.close());

type Row = {
  method: string;
  first: 201 | 202 | 503;
  /** By itself, within 90 seconds. */
  ends: 'succeeded' | 'failed' | 'waits for its caller';
  /** The same request afterwards. */
  retry: 201 | 402;
  charges: number;
  /** Requests for a charge that the processor saw; null where re-sends meet the first one still running. */
  sends: number | null;
};

describe('what each test method ends as', () => {
  it.each<Row>([
    row('lose_request', 202, 'succeeded', { sends: 2 }),
    row('timeout_not_charged', 202, 'succeeded', { sends: 2 }),
    row('down', 202, 'succeeded', { sends: 2 }),
    row('lose_response', 202, 'succeeded', { sends: 2 }),
    row('timeout_charged', 202, 'succeeded', { sends: 2 }),
    row('garbage', 202, 'succeeded', { sends: 2 }),
    row('error_charged', 202, 'succeeded', { sends: 2 }),
    row('error_not_charged', 202, 'failed', { sends: 2, retry: 402, charges: 0 }),
    row('busy', 503, 'waits for its caller', { sends: 2 }),
    row('slow_200', 201, 'succeeded', { sends: 1 }),
    row('slow_2200', 202, 'succeeded', { sends: null }),
  ])('pm_test_$method: $first, then $ends', async (expected) => {
    const key = randomUUID();
    const content = body({ payment_method: JSON.stringify(`pm_test_${expected.method}`) });
    const first = await world.post(content, { key });
    if (expected.first === 201) expectCharged(first);
    if (expected.first === 202) expectPending(first);
    if (expected.first === 503) expectProblem(first, { code: 'processor_unavailable' });
    const id = first.json.id ?? first.json.payment_id;
    if (expected.ends === 'waits for its caller') await expectWaiting(id);
    else expect(await endOf(id, expected.sends === null)).toBe(expected.ends);
    const retry = await world.post(content, { key });
    expect(retry.status, retry.text).toBe(expected.retry);
    if (expected.retry === 402) expectProblem(retry, { code: 'payment_not_charged' });
    expect(retry.json.id ?? retry.json.payment.id).toBe(id);
    expectReplay(await world.post(content, { key }), retry, first);
    expect(await booked(key)).toHaveLength(expected.charges);
    expect(sent(key)).toHaveLength(expected.sends ?? sent(key).length);
  });
});

function row(
  method: string,
  first: Row['first'],
  ends: Row['ends'],
  {
    sends,
    retry = 201,
    charges = 1,
  }: { sends: number | null; retry?: 201 | 402; charges?: number },
): Row {
  return { method, first, ends, retry, charges, sends };
}

/**
 * How a payment ends within the bound of the bent clock. A slow processor is slow by the real one, which no
 * test can move: until it has answered, every re-send hears that the first is still running.
 */
async function endOf(id: string, isSlow: boolean): Promise<string> {
  const deadlineMs = performance.now() + (isSlow ? 20_000 : 0);
  for (;;) {
    try {
      return (await world.system.settle(id, SECONDS_MAX)).json.status;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
  }
}

/** Released work is nobody's but its caller's: no sweep sends it. */
async function expectWaiting(id: string): Promise<void> {
  for (let second = 0; second < SECONDS_MAX; second += 10) {
    await world.system.advance(10_000);
    await world.system.sweep();
  }
  const { json } = await world.system.client.get(`/v1/payments/${id}`);
  expect(json).toMatchObject({ status: 'pending', unresolved: expect.stringMatching(/retry/) });
}

function derived(key: string): string {
  return deriveProcessorKey(world.system.account.id, 'charge', key);
}

function sent(key: string): unknown[] {
  return world.processor.charges.filter(
    ({ headers }) => headers['idempotency-key'] === derived(key),
  );
}

async function booked(key: string): Promise<unknown[]> {
  const lines = await world.system.booked('charge');
  return lines.filter(({ idempotency_key: used }) => used === derived(key));
}
