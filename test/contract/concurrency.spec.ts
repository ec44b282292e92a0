import { randomUUID } from 'node:crypto';
import pg from 'pg';
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
  world = await startWorld({ bendTime: true, env: { PROCESSOR_TIMEOUT_MS: '3000' } });
});
afterAll(() => world.close());

describe('contract, at the same time', () => {
  it('case 77: of 50 equal requests one charges, the others wait or hear the same', async () => {
    const key = randomUUID();
    const before = await world.footprint();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.post(HONEST, { key })),
    );
    const first = answers.find(({ status, headers }) => status === 201 && !isReplay(headers));
    if (first === undefined) throw new Error('nobody was charged');
    for (const answer of answers.filter((other) => other !== first)) {
      if (answer.status === 201) expectReplay(answer, first);
      else expectProblem(answer, { code: 'idempotency_key_in_progress' });
    }
    const after = await world.footprint();
    expect(after['payments']).toBe((before['payments'] ?? 0) + 1);
    expect(after['charges_asked']).toBe((before['charges_asked'] ?? 0) + 1);
  });

  it('case 78: of two bodies at once one runs, the other is 422 at once', async () => {
    const key = randomUUID();
    const bodies = [1, 2].map((n) =>
      body({ amount: `${n}00`, payment_method: '"pm_test_slow_800"' }),
    );
    const before = await world.footprint();
    const answers = await Promise.all(
      bodies.map(async (content) => {
        const answer = await world.post(content, { key });
        return { answer, at: performance.now() };
      }),
    );
    const [other, ran] = answers.sort((a, b) => a.at - b.at);
    expectCharged(ran!.answer);
    expectProblem(other!.answer, { code: 'idempotency_key_reused' });
    expect(ran!.at - other!.at, 'it waited for the one that ran').toBeGreaterThan(300);
    const after = await world.footprint();
    expect(after['payments']).toBe((before['payments'] ?? 0) + 1);
  });

  it.each([
    { title: 'is rolled back', end: 'ROLLBACK', allowed: [201] },
    {
      title: 'is committed and vanishes',
      end: 'COMMIT; DELETE FROM idempotency_keys WHERE claim_id',
      allowed: [201, 409],
    },
  ])(
    'case 80: the row that a claim waits for $title: claimed again, never unprotected',
    async ({ end, allowed }) => {
      const key = randomUUID();
      const planter = await plantUncommitted(key);
      const asked = world.processor.charges.length;
      const waiting = world.post(HONEST, { key });
      await vi.waitFor(async () => expect(await lockWaits()).toBe(1), { timeout: 4_000 });
      const claimId = `'00000000-0000-7000-8000-000000000080'`;
      await planter.query(end.endsWith('claim_id') ? `${end} = ${claimId}` : end);
      await planter.end();
      const answer = await waiting;
      expect(allowed, answer.text).toContain(answer.status);
      const again = await world.post(HONEST, { key });
      expectCharged({ ...again, headers: withoutReplay(again.headers) });
      expect(world.processor.charges).toHaveLength(asked + 1);
      const { rows } = await world.system.owner.query(KEY_ROW, [hashKey(key)]);
      expect(rows).toMatchObject([{ state: 'finished', payment_id: again.json.id }]);
    },
  );

  it('case 80: the row that a claim waits for is committed and stays: the claim hears of it', async () => {
    const key = randomUUID();
    const planter = await plantUncommitted(key);
    const waiting = world.post(HONEST, { key });
    await vi.waitFor(async () => expect(await lockWaits()).toBe(1), { timeout: 4_000 });
    await planter.query('COMMIT');
    const answer = await waiting;
    await planter.query('DELETE FROM idempotency_keys WHERE key_hash = $1', [hashKey(key)]);
    await planter.end();
    expectProblem(answer, { code: 'idempotency_key_in_progress' });
  });

  it('case 84: a takeover by another body is 422, and the fingerprint stays', async () => {
    const key = randomUUID();
    const unsent = body({ payment_method: '"pm_test_lose_request"' });
    expectPending(await world.post(unsent, { key }));
    const before = await keyRow(key);
    const other = () => world.post(HONEST, { key });
    await expectRefused(world, other, { code: 'idempotency_key_reused' });
    expect(await keyRow(key)).toEqual(before);
    expectCharged(await world.post(unsent, { key }));
  });

  it('case 85: a retry while the worker resumes is 409, and then a replay', async () => {
    const key = randomUUID();
    const unsent = body({ payment_method: '"pm_test_lose_request"' });
    expectPending(await world.post(unsent, { key }));
    await world.system.mockClient.faults({ fault: 'slow_1500', times: 1 });
    await world.system.advance(60_000);
    const asked = world.processor.charges.length;
    const sweeping = world.system.sweep();
    await expect.poll(() => world.processor.charges.length).toBe(asked + 1);
    const meanwhile = await world.post(unsent, { key });
    expectProblem(meanwhile, { code: 'idempotency_key_in_progress', key });
    expect(meanwhile.headers.get('retry-after')).toBe('1');
    expect(await sweeping).toEqual({ 201: 1 });
    const final = await world.post(unsent, { key });
    expect(final.status).toBe(201);
    expect(final.headers.get('idempotent-replayed')).toBe('true');
  });

  it('case 86: two workers and a client at one lease that has ended: one takes it', async () => {
    const key = randomUUID();
    const unsent = body({ payment_method: '"pm_test_lose_request"' });
    expectPending(await world.post(unsent, { key }));
    await world.system.advance(60_000);
    const asked = world.processor.charges.length;
    const [answer] = await Promise.all([
      world.post(unsent, { key }),
      world.system.sweep(),
      world.system.sweep(),
    ]);
    expect([201, 409]).toContain(answer.status);
    expect(world.processor.charges, 'one of the three sent').toHaveLength(asked + 1);
    const final = await world.post(unsent, { key });
    expect(final.status).toBe(201);
  });

  it('case 91: a fresh key for an order whose payment is unknown is refused, and stays unused', async () => {
    const order = JSON.stringify(randomUUID());
    const first = body({ order_id: order, payment_method: '"pm_test_lose_request"' });
    const firstKey = randomUUID();
    const pending = await world.post(first, { key: firstKey });
    expectPending(pending);
    const key = randomUUID();
    const again = () => world.post(body({ order_id: order }), { key });
    const unresolved = await expectRefused(world, again, { code: 'payment_unresolved' });
    expect(unresolved.json.payment_id).toBe(pending.json.id);
    expectCharged(await world.post(first, { key: firstKey }));
    const paid = await expectRefused(world, again, { code: 'order_already_paid', key });
    expect(paid.json.payment_id).toBe(pending.json.id);
  });
});

const KEY_ROW =
  'SELECT state, payment_id, fingerprint, lease_token FROM idempotency_keys WHERE key_hash = $1';

async function keyRow(key: string): Promise<unknown> {
  return (await world.system.owner.query(KEY_ROW, [hashKey(key)])).rows[0];
}

async function lockWaits(): Promise<number> {
  const { rows } = await world.system.owner.query(
    `SELECT count(*)::int FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0].count;
}

/** Somebody else's claim of this key that has not been committed, and holds its row. */
async function plantUncommitted(key: string): Promise<pg.Client> {
  const planter = new pg.Client({ connectionString: world.system.database.url });
  await planter.connect();
  await planter.query('BEGIN');
  const payment = randomUUID();
  const { id } = world.system.account;
  await planter.query(
    `INSERT INTO payments (account_id, id, status, amount, currency, payment_method, metadata,
                           capture, processor_name, created_at)
     VALUES ($1, $2, 'pending', 1, 'myr', 'pm_123', '{}', 'automatic', 'mock', payonce_now())`,
    [id, payment],
  );
  await planter.query(
    `INSERT INTO idempotency_keys (account_id, key_hash, claim_id, operation, fingerprint,
                                   fingerprint_version, state, locked_until, lease_token, payment_id,
                                   operation_id, request_id, claimed_at, ends_at)
     SELECT $1, $2, '00000000-0000-7000-8000-000000000080', 'POST /v1/payments', fingerprint,
            fingerprint_version, 'started', payonce_now() + interval '1 hour', $3, $3, $3, 'req_planted',
            payonce_now(), payonce_now() + interval '7 days'
       FROM idempotency_keys
      WHERE key_hash = $4`,
    [id, hashKey(key), payment, hashKey(await sameRequest())],
  );
  return planter;
}

/** A finished key of the honest request, for its fingerprint. */
async function sameRequest(): Promise<string> {
  const key = randomUUID();
  expectCharged(await world.post(HONEST, { key }));
  return key;
}

function isReplay(headers: Headers): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

function withoutReplay(headers: Headers): Headers {
  const plain = new Headers(headers);
  plain.delete('idempotent-replayed');
  return plain;
}
