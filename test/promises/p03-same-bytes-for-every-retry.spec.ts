import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#testing/http.js';
import { startNode } from '#testing/node.js';
import { type System, startSystem } from '#testing/system.js';

let system: System;
beforeAll(async () => {
  system = await startSystem({ bendTime: true, env: { PROCESSOR_TIMEOUT_MS: '2000' } });
});
afterAll(() => system.close());

const KEPT = ['content-type', 'location'];

describe('P3: every retry of a finished request gets the same status and bytes', () => {
  it.each([
    { method: 'pm_123', status: 201 },
    { method: 'pm_card_chargeDeclined', status: 402 },
    { method: 'pm_test_lose_response', status: 201 },
    { method: 'pm_test_error_not_charged', status: 402 },
  ])(
    '$method: $status, from this replica, another, and a week later',
    async ({ method, status }) => {
      const key = randomUUID();
      const order = { payment_method: method, metadata: { b: '1e3', a: '2', '10': 'x', '9': 'y' } };
      const first = await final(order, key);
      expect(first.status, first.text).toBe(status);
      expectSame(await system.client.pay(order, key), first);
      const replica = await startNode(system, { TimeZone: 'Asia/Kuala_Lumpur' });
      expectSame(await replica.client.pay(order, key), first);
      await replica.close();
      const saved = await system.owner.query<{ body: Buffer }>(
        `SELECT a.body FROM saved_answers a
         JOIN idempotency_keys k ON k.account_id = a.account_id AND k.key_hash = a.key_hash
        WHERE k.payment_id = $1`,
        [first.json.id ?? first.json.payment.id],
      );
      expect(saved.rows.map((row) => row.body.toString())).toEqual([first.text]);
    },
  );

  it('is history: what the payment says today changes nothing', async () => {
    const key = randomUUID();
    const first = await system.client.pay({}, key);
    await system.owner.query('UPDATE payments SET description = $1 WHERE id = $2', [
      'refunded since, say',
      first.json.id,
    ]);
    expectSame(await system.client.pay({}, key), first);
    const today = await system.client.get(`/v1/payments/${first.json.id}`);
    expect(today.json.description).toBe('refunded since, say');
  });

  it('is there to the last minute of its days, by the clock of the database', async () => {
    const key = randomUUID();
    const first = await system.client.pay({}, key);
    await system.advance(7 * 86_400_000 - 60_000);
    expectSame(await system.client.pay({}, key), first);
  });
});

/** Pays, lets recovery settle what is unknown, and returns the first final answer. */
async function final(order: object, key: string): Promise<Answer> {
  const answer = await system.client.pay(order, key);
  if (answer.status !== 202) return answer;
  await system.settle(answer.json.id, 90);
  return system.client.pay(order, key);
}

function expectSame(again: Answer, first: Answer): void {
  expect(again.status, again.text).toBe(first.status);
  expect(again.text).toBe(first.text);
  for (const name of KEPT) expect(again.headers.get(name)).toBe(first.headers.get(name));
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request')).toMatch(/^req_/);
  expect(again.headers.get('original-request')).not.toBe(again.headers.get('request-id'));
}
