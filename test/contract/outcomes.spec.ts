import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import { startNode } from '#testing/node.js';
import { open, rawPayment } from '#testing/raw-request.js';
import { HONEST, type World, body, startWorld } from './contract-world.js';
import { expectCharged, expectPending, expectProblem, expectReplay } from './expectations.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ bendTime: true, env: { PROCESSOR_TIMEOUT_MS: '2000' } });
});
afterEach(() => world.system.mockClient.control('DELETE', 'faults'));
afterAll(() => world.close());

const DECLINED = body({ payment_method: '"pm_card_chargeDeclinedInsufficientFunds"' });

describe('contract, what an outcome leaves', () => {
  it('case 93: validation failed, the body fixed, the same key: 201', async () => {
    const key = randomUUID();
    expectProblem(await world.post(body({ amount: '0' }), { key }), {
      code: 'validation_failed',
      param: 'amount',
    });
    expectCharged(await world.post(HONEST, { key }));
  });

  it('cases 94 and 104: a decline replays byte for byte, and the processor is not asked again', async () => {
    const key = randomUUID();
    const first = await world.post(DECLINED, { key });
    expectProblem(first, { code: 'card_declined' });
    expect(first.json.decline_code).toBe('insufficient_funds');
    expect(first.json.payment).toMatchObject({ status: 'failed', amount_captured: 0 });
    const asked = world.processor.seen.length;
    const again = await world.post(DECLINED, { key });
    expectReplay(again, first);
    expectProblem(again, { code: 'card_declined' });
    expect(world.processor.seen).toHaveLength(asked);
  });

  it('case 96: the processor refuses the connection, is up later, same key: 503, then 201', async () => {
    const key = randomUUID();
    await world.processor.close();
    const asked = world.processor.charges.length;
    const refused = await world.post(HONEST, { key });
    expectProblem(refused, { code: 'processor_unavailable' });
    expectProblem(await world.post(HONEST, { key }), { code: 'processor_unavailable' });
    await world.processor.open();
    const charged = await world.post(HONEST, { key });
    expectCharged(charged);
    expect(charged.json.id).toBe(refused.json.payment_id);
    expect(sentKeys(asked)).toEqual([derived(key)]);
  });

  it('case 97: the answer lost, then 429 to the re-send: still 202', async () => {
    const key = randomUUID();
    const lost = body({ payment_method: '"pm_test_lose_response"' });
    expectPending(await world.post(lost, { key }));
    await world.system.mockClient.faults({ fault: null, mode: 'limiter_before_keys' });
    expectPending(await world.post(lost, { key }));
    await world.processor.close();
    expectPending(await world.post(lost, { key }));
    await world.processor.open();
    const final = await world.post(lost, { key });
    expect(final.status, final.text).toBe(201);
    expect(await booked(key)).toHaveLength(1);
  });

  it('case 99: a mismatch under our key is adopted, if it is the same charge', async () => {
    const key = randomUUID();
    const found = await chargeUnder(key, 'pm_other', {});
    const charged = await world.post(HONEST, { key });
    expectCharged(charged);
    expect(charged.json.processor.id).toBe(found);
    expect(await booked(key)).toHaveLength(1);
  });

  it('case 99: a mismatch of another amount is an alarm, and never a failure', async () => {
    const key = randomUUID();
    await chargeUnder(key, 'pm_123', { amount: '2501' });
    const pending = await world.post(HONEST, { key });
    expectPending(pending);
    const alarms = world.system.log.filter(({ level }) => level === 'critical');
    expect(alarms.map((alarm) => alarm['payment_id'])).toContain(pending.json.id);
    for (let pass = 0; pass < 12; pass++) {
      await world.system.advance(60_000);
      await world.system.sweep();
    }
    expectPending(await world.post(HONEST, { key }));
    const { rows } = await world.system.owner.query(
      'SELECT review_at IS NOT NULL AS review FROM unresolved WHERE key_hash = $1',
      [hashKey(key)],
    );
    expect(rows).toEqual([{ review: true }]);
  });

  it('case 101: not found right after sending is no proof', async () => {
    await world.system.mockClient.faults({ fault: null, mode: 'not_found_window' });
    const lost = body({ payment_method: '"pm_test_error_charged"' });
    const key = randomUUID();
    const pending = await world.post(lost, { key });
    expectPending(pending);
    const settled = await world.system.settle(pending.json.id, 90);
    expect(settled.json.status).toBe('succeeded');
    expect(await booked(key)).toHaveLength(1);
  });

  it('case 108: 202 first, the final answer later, and then for ever', async () => {
    const key = randomUUID();
    const lost = body({ payment_method: '"pm_test_timeout_charged"' });
    const pending = await world.post(lost, { key });
    expectPending(pending);
    const settled = await world.system.settle(pending.json.id, 90);
    expect(settled.json.status).toBe('succeeded');
    const final = await world.post(lost, { key });
    expect(final.status).toBe(201);
    expect(final.json.id).toBe(pending.json.id);
    expectReplay(await world.post(lost, { key }), final);
  });

  it('case 115: the timeline of a recovered payment shows its caller and the worker', async () => {
    const key = randomUUID();
    const pending = await world.post(body({ payment_method: '"pm_test_lose_request"' }), { key });
    const caller = pending.headers.get('request-id');
    await world.system.settle(pending.json.id, 90);
    const timeline = await world.system.client.get(`/v1/payments/${pending.json.id}/timeline`);
    const steps = timeline.json.data as { kind: string; request_id: string; detail: string }[];
    const by = (kind: string) => steps.filter((step) => step.kind === kind);
    expect(by('claimed')).toMatchObject([{ request_id: caller }]);
    expect(by('answer_saved')).toMatchObject([{ request_id: caller }]);
    expect(by('taken_over')).toMatchObject([
      { request_id: expect.stringMatching(/^wrk_/), detail: 'by a worker' },
    ]);
  });
});

describe('contract, replays', () => {
  it('cases 102, 103 and 114: the first bytes, from another replica, whatever the rows say today', async () => {
    const key = randomUUID();
    const content = body({ metadata: '{"b":"1e3","a":"2","10":"x"}', description: '"first"' });
    const charged = await world.post(content, { key });
    expectCharged(charged);
    await world.system.owner.query('UPDATE payments SET description = $1 WHERE id = $2', [
      'today',
      charged.json.id,
    ]);
    const replica = await startNode(world.system, {});
    try {
      const again = await replica.client.send('POST', '/v1/payments', {
        body: content,
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
      });
      expectReplay(again, charged);
      const today = await replica.client.get(`/v1/payments/${charged.json.id}`);
      expect(today.json.description).toBe('today');
    } finally {
      await replica.close();
    }
    expectReplay(await world.post(content, { key }), charged);
  });

  it('case 111: the largest answer that a body can ask for replays whole', async () => {
    const key = randomUUID();
    const wide = (length: number) => '💳'.repeat(length);
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [wide(37) + String(at), wide(500)]),
    );
    const content = body({
      metadata: JSON.stringify(metadata),
      description: JSON.stringify(wide(1_000)),
      order_id: JSON.stringify(wide(255)),
    });
    const charged = await world.post(content, { key });
    expectCharged(charged);
    expect(Buffer.byteLength(charged.text)).toBeGreaterThan(100_000);
    expectReplay(await world.post(content, { key }), charged);
  });
});

describe('contract, callers that leave', () => {
  it('case 109: before the claim: nothing happened', async () => {
    const key = randomUUID();
    const before = await world.footprint();
    const socket = await open(world.system.client.url);
    const request = rawPayment(world.system.client.apiKey, [`Idempotency-Key: ${key}`], HONEST);
    socket.write(request.subarray(0, -1));
    await new Promise<void>((resolve) => socket.end(resolve));
    socket.destroy();
    expect(await world.footprint()).toEqual(before);
    expectCharged(await world.post(HONEST, { key }));
  });

  it('case 109: while it is charged: it is finished, and the retry hears of it', async () => {
    const key = randomUUID();
    const slow = body({ payment_method: '"pm_test_slow_400"' });
    const asked = world.processor.charges.length;
    const socket = await open(world.system.client.url);
    socket.write(rawPayment(world.system.client.apiKey, [`Idempotency-Key: ${key}`], slow));
    await expect.poll(() => world.processor.charges.length).toBe(asked + 1);
    socket.destroy();
    await vi.waitFor(
      async () => {
        const answer = await world.post(slow, { key });
        expect(answer.status).toBe(201);
        expect(answer.headers.get('idempotent-replayed')).toBe('true');
      },
      { timeout: 30_000 },
    );
    expect(await booked(key)).toHaveLength(1);
  });
});

function derived(key: string): string {
  return deriveProcessorKey(world.system.account.id, 'charge', key);
}

function sentKeys(from: number): unknown[] {
  return world.processor.charges.slice(from).map(({ headers }) => headers['idempotency-key']);
}

async function booked(key: string): Promise<unknown[]> {
  const lines = await world.system.booked('charge');
  return lines.filter(({ idempotency_key: used }) => used === derived(key));
}

/** A charge that stands at the processor under the key that an intent of ours will derive. */
async function chargeUnder(key: string, method: string, more: Record<string, string>) {
  const answer = await world.system.mockClient.charge(method, {
    key: derived(key),
    intent: derived(key),
    'metadata[payonce_account]': world.system.account.id,
    ...more,
  });
  expect(answer.status).toBe(200);
  return answer.json.id as string;
}
