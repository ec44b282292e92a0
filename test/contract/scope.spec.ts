import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hashKey } from '#idempotency/processor-key.js';
import { HONEST, type World, body, startWorld } from './contract-world.js';
import {
  expectCharged,
  expectPending,
  expectProblem,
  expectRefused,
  expectReplay,
} from './expectations.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ bendTime: true, env: { PROCESSOR_TIMEOUT_MS: '2000' } });
});
afterAll(() => world.close());

const DAY_MS = 86_400_000;

describe('contract, whose key it is', () => {
  it("case 56: another account's use of a key is its own new payment", async () => {
    const key = randomUUID();
    const other = await world.system.newClient();
    const first = await world.post(HONEST, { key });
    const second = await world.post(HONEST, { key, apiKey: other.apiKey });
    expectCharged(first);
    expectCharged(second);
    expect(second.json.id).not.toBe(first.json.id);
    const third = await world.system.newClient();
    expectCharged(await world.post(body({ amount: '9' }), { key, apiKey: third.apiKey }));
    expectProblem(await other.get(`/v1/payments/${first.json.id}`), { code: 'payment_not_found' });
    const own = await other.get(`/v1/payments?idempotency_key=${key}`);
    expect(own.json.data.map(({ id }: { id: string }) => id)).toEqual([second.json.id]);
  });

  it('case 58: test mode and live mode of one name are two accounts', async () => {
    const key = randomUUID();
    const live = await world.system.newClient({ name: 'first', mode: 'live' });
    const first = await world.post(HONEST, { key });
    const second = await world.post(HONEST, { key, apiKey: live.apiKey });
    expectCharged(first);
    expectCharged(second);
    expect(second.json.id).not.toBe(first.json.id);
  });

  it('case 60: a missing or revoked credential is 401, and the key is untouched', async () => {
    const key = randomUUID();
    const leaving = await world.system.newClient({ name: 'first' });
    const charged = await world.post(HONEST, { key, apiKey: leaving.apiKey });
    expectCharged(charged);
    await world.system.owner.query(
      'UPDATE api_keys SET revoked_at = payonce_now() WHERE key_hash = sha256($1::text::bytea)',
      [leaving.apiKey],
    );
    await vi.waitFor(
      async () => {
        const answer = await world.post(HONEST, { key, apiKey: leaving.apiKey });
        expect(answer.status).toBe(401);
      },
      { timeout: 30_000 },
    );
    for (const apiKey of [leaving.apiKey, 'none', `${leaving.apiKey}x`]) {
      const send = () => world.post(HONEST, { key, apiKey });
      await expectRefused(world, send, { code: 'unauthenticated' });
    }
    expectReplay(await world.post(HONEST, { key }), charged);
  });

  it('case 60: the right to write missing is 403, and the key stays unused', async () => {
    const key = randomUUID();
    const { apiKey } = await world.system.newClient({ name: 'first', scopes: ['payments:read'] });
    await expectRefused(world, () => world.post(HONEST, { key, apiKey }), {
      code: 'forbidden',
      key,
    });
  });

  it('case 66: a processor that asks for years is not passed on', async () => {
    const key = randomUUID();
    world.processor.answerNext = {
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '999999999' },
      body: '{"error":{"type":"invalid_request_error","code":"rate_limit"}}',
    };
    const answer = await world.post(HONEST, { key });
    expectProblem(answer, { code: 'processor_unavailable' });
    expectCharged(await world.post(HONEST, { key }));
  });
});

describe('contract, when the answer is gone', () => {
  it('case 62: its row absent, a retry is told so, with the payment, and nothing is charged', async () => {
    const key = randomUUID();
    const charged = await world.post(HONEST, { key });
    expectCharged(charged);
    const gone = 'DELETE FROM saved_answers WHERE key_hash = $1';
    expect((await world.system.owner.query(gone, [hashKey(key)])).rowCount).toBe(1);
    const retry = () => world.post(HONEST, { key });
    const answer = await expectRefused(world, retry, { code: 'idempotency_key_expired' });
    expect(answer.json.payment_id).toBe(charged.json.id);
    const other = () => world.post(body({ amount: '1' }), { key });
    await expectRefused(world, other, { code: 'idempotency_key_reused' });
  });

  it('cases 63 and 64: at the boundary it replays; what is unresolved is never new', async () => {
    const done = randomUUID();
    const open = randomUUID();
    const unsent = body({ payment_method: '"pm_test_lose_request"' });
    const charged = await world.post(HONEST, { key: done });
    expectCharged(charged);
    expectPending(await world.post(unsent, { key: open }));
    const asked = world.processor.charges.length;
    for (const stepMs of [7 * DAY_MS - 60_000, 60_000, 60_000, DAY_MS]) {
      await world.system.advance(stepMs);
      expectReplay(await world.post(HONEST, { key: done }), charged);
      expectPending(await world.post(unsent, { key: open }));
      const other = await world.post(HONEST, { key: open });
      expectProblem(other, { code: 'idempotency_key_reused' });
    }
    expect(world.processor.charges, 'nobody sends that late').toHaveLength(asked);
  });
});
