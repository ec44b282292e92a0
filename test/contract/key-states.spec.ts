import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint } from '#idempotency/fingerprint.js';
import { hashKey } from '#idempotency/processor-key.js';
import { daysAhead, makePartitions } from '#postgres/daily-partitions.js';
import type { Answer } from '#testing/http.js';
import { type World, body, startWorld } from './contract-world.js';
import {
  expectCharged,
  expectPending,
  expectProblem,
  expectRefused,
  expectReplay,
} from './expectations.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ bendTime: true, env: { PROCESSOR_TIMEOUT_MS: '3000' } });
});
afterAll(() => world.close());

const DAY_MS = 86_400_000;
type State = 'running' | 'unknown' | 'released' | 'finished' | 'expired';

describe('what a retry meets', () => {
  it.each<{ state: State; retry: string }>([
    { state: 'running', retry: '409 while the lease is held' },
    { state: 'unknown', retry: 'one try, and the final bytes' },
    { state: 'released', retry: 'a claim again: 201' },
    { state: 'finished', retry: 'the saved answer' },
    { state: 'expired', retry: '409, its answer no longer kept' },
  ])('a key that is $state: $retry; another body is 422', async ({ state }) => {
    const { key, content, first } = await bring(state);
    const other = () => world.post(body({ amount: '7' }), { key });
    await expectRefused(world, other, { code: 'idempotency_key_reused' });
    const retry = () => world.post(content, { key });
    if (state === 'running') {
      await expectRefused(world, retry, { code: 'idempotency_key_in_progress' });
    } else if (state === 'expired') {
      const gone = await expectRefused(world, retry, { code: 'idempotency_key_expired' });
      expect(gone.json.payment_id).toBe(first.json.id);
    } else if (state === 'finished') {
      expectReplay(await retry(), first);
    } else {
      const answer = await retry();
      expectCharged(answer);
      expect(answer.json.id).toBe(first.json.id ?? first.json.payment_id);
      expectReplay(await retry(), answer, first);
    }
  });

  it.each<{ state: State; finished: Record<number, number>; status: string }>([
    { state: 'running', finished: {}, status: 'pending' },
    { state: 'unknown', finished: { 201: 1 }, status: 'succeeded' },
    { state: 'released', finished: {}, status: 'pending' },
    { state: 'finished', finished: {}, status: 'succeeded' },
  ])(
    'a key that is $state, and the sweeps leave it $status',
    async ({ state, finished, status }) => {
      const { first } = await bring(state);
      if (state !== 'running') await world.system.advance(2_000);
      expect(await world.system.sweep()).toEqual(finished);
      const id = first.json.id ?? first.json.payment_id;
      expect((await world.system.client.get(`/v1/payments/${id}`)).json.status).toBe(status);
      if (state === 'running') await world.system.settle(id, 60);
    },
  );

  it('released, and a rule has been tightened since: refused, and it stays released', async () => {
    const { key } = await bring('released');
    const now = body({ colour: '"red"', payment_method: '"pm_test_busy"' });
    const plant = 'UPDATE idempotency_keys SET fingerprint = $1 WHERE key_hash = $2';
    const read = { method: 'POST', route: '/v1/payments', params: {}, body: JSON.parse(now) };
    await world.system.owner.query(plant, [fingerprint(read), hashKey(key)]);
    const retry = () => world.post(now, { key });
    await expectRefused(world, retry, { code: 'validation_failed', param: 'colour' });
    expect(await stateOf(key)).toBe('released');
  });

  it('released, and its order has been paid since: 409, and it stays released', async () => {
    const order_id = JSON.stringify(randomUUID());
    const { key, content } = await bring('released', { order_id });
    const paid = await world.post(body({ order_id }));
    expectCharged(paid);
    const retry = () => world.post(content, { key });
    const refused = await expectRefused(world, retry, { code: 'order_already_paid' });
    expect(refused.json.payment_id).toBe(paid.json.id);
    expect(await stateOf(key)).toBe('released');
  });
});

describe("what a key's end leaves", () => {
  it('released until its end: 402 payment_not_charged, by the retry and by the sweep alike', async () => {
    const byRetry = await bring('released');
    const bySweep = await bring('released');
    // The worker makes days ahead; here the clock jumps over all of them.
    const { owner } = world.system;
    await makePartitions(owner, 'saved_answers', await daysAhead(owner, 7, 8));
    await world.system.advance(7 * DAY_MS + 1_000);
    const asked = world.processor.charges.length;
    const closed = await world.post(byRetry.content, { key: byRetry.key });
    expectProblem(closed, { code: 'payment_not_charged' });
    expect(closed.json.payment).toMatchObject({ status: 'failed' });
    const replay = await world.post(byRetry.content, { key: byRetry.key });
    expectReplay(replay, closed, byRetry.first);
    await world.system.settle(bySweep.first.json.payment_id, 5);
    const swept = await world.post(bySweep.content, { key: bySweep.key });
    expectProblem(swept, { code: 'payment_not_charged' });
    expect(swept.headers.get('idempotent-replayed')).toBe('true');
    expect(world.processor.charges, 'nothing was ever sent').toHaveLength(asked);
  });
});

type Brought = { key: string; content: string; first: Answer };

/** Brings a fresh key into a state, by what a processor or a crash would do. */
async function bring(state: State, members: Record<string, string> = {}): Promise<Brought> {
  const key = randomUUID();
  const method = { unknown: 'lose_request', running: 'lose_request', released: 'busy' };
  const name = state in method ? `pm_test_${method[state as keyof typeof method]}` : 'pm_123';
  const content = body({ ...members, payment_method: JSON.stringify(name) });
  const first = await world.post(content, { key });
  if (state === 'released') expectProblem(first, { code: 'processor_unavailable' });
  else if (state === 'unknown' || state === 'running') expectPending(first);
  else expectCharged(first);
  const { owner } = world.system;
  if (state === 'running') {
    const held = `UPDATE idempotency_keys SET locked_until = payonce_now() + interval '20 s' WHERE key_hash = $1`;
    await owner.query(held, [hashKey(key)]);
  }
  if (state === 'expired') {
    await owner.query('DELETE FROM saved_answers WHERE key_hash = $1', [hashKey(key)]);
  }
  return { key, content, first };
}

async function stateOf(key: string): Promise<string> {
  const { rows } = await world.system.owner.query(
    'SELECT state FROM idempotency_keys WHERE key_hash = $1',
    [hashKey(key)],
  );
  return rows[0].state;
}
