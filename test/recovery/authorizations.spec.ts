import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sweepAuthorizations } from '#payments/sweep-authorizations.js';
import type { System } from '#testing/system.js';
import { type StepsWorld, startStepsWorld } from '../api/steps-world.js';
import { expectProblem, expectReplay } from '../contract/expectations.js';

let world: StepsWorld;
let system: System;
beforeAll(async () => {
  world = await startStepsWorld();
  ({ system } = world);
});
afterEach(() => system.mockClient.control('DELETE', 'faults'));
afterAll(() => system.close());

const sweepOnce = () => sweepAuthorizations(system.core.deps, `wrk_${randomUUID()}`);
const expire = (id: string) =>
  system.owner.query(
    `UPDATE authorizations SET expires_at = payonce_now(), due_at = payonce_now() WHERE payment_id = $1`,
    [id],
  );
/** As if seven days had passed for the released keys of a payment. */
const endKey = async (id: string): Promise<void> => {
  await system.owner.query(
    `UPDATE idempotency_keys SET ends_at = payonce_now() WHERE payment_id = $1 AND state = 'released'`,
    [id],
  );
  await system.owner.query(
    'UPDATE unresolved SET next_try_at = payonce_now() WHERE payment_id = $1',
    [id],
  );
};
const isHeld = async (id: string): Promise<boolean> =>
  (await system.owner.query('SELECT FROM authorizations WHERE payment_id = $1', [id])).rowCount ===
  1;
const voidsOf = async (id: string): Promise<number> => {
  const { processor } = await world.read(id);
  const lines = await system.booked('void');
  return lines.filter(({ parent }) => parent === processor.id).length;
};
const cancelByKey = (key: string) =>
  system.client.post('/v1/cancellations', { idempotency_key: key }, randomUUID());

describe('the end of an authorization', () => {
  it('is seven days away, as the processor tells', async () => {
    const id = await world.authorize();
    const { rows } = await system.owner.query(
      `SELECT extract(epoch FROM expires_at - payonce_now())::int AS seconds FROM authorizations WHERE payment_id = $1`,
      [id],
    );
    expect(Math.abs(rows[0].seconds - 7 * 86_400)).toBeLessThan(3_600);
  });

  it('voids it at the processor, once, however many sweep', async () => {
    const id = await world.authorize({ order_id: 'expires' });
    await expire(id);
    await Promise.all([sweepOnce(), sweepOnce()]);
    await system.sweep();
    await system.sweep();
    expect(await world.read(id)).toMatchObject({ status: 'canceled', amount_captured: 0 });
    expect([await voidsOf(id), await isHeld(id)]).toEqual([1, false]);
    const next = await system.client.pay({ order_id: 'expires' }); // its order is free again
    expect(next.status).toBe(201);
  });

  it('cancels nothing by the clock alone: the processor has to say so', async () => {
    const id = await world.authorize();
    await expire(id);
    await system.mockClient.faults({ fault: 'down', times: null });
    await sweepOnce();
    await system.sweep();
    expect((await world.read(id)).status).toBe('authorized');
    await system.mockClient.control('DELETE', 'faults');
    await system.advance(60_000);
    await system.sweep();
    expect([(await world.read(id)).status, await voidsOf(id)]).toEqual(['canceled', 1]);
  });

  it('at the processor shows at a refused capture, and is recorded as canceled', async () => {
    const id = await world.authorize();
    const { processor } = await world.read(id);
    await system.mockClient.control('POST', 'events', {
      kind: 'authorization_expired',
      payment_intent: processor.id,
    });
    const key = randomUUID();
    const refused = await world.capture(id, {}, key);
    expectProblem(refused, { code: 'capture_failed', key });
    expect(refused.json.decline_code).toBe('authorization_canceled');
    await sweepOnce();
    await system.sweep();
    expect(await world.read(id)).toMatchObject({ status: 'canceled', amount_captured: 0 });
    expectReplay(await world.capture(id, {}, key), refused);
  });

  it('of one that is still there after a refused capture is waited for', async () => {
    const id = await world.authorize({ payment_method: 'pm_test_capture_refused' });
    expectProblem(await world.capture(id), { code: 'capture_failed' });
    await sweepOnce();
    await system.sweep();
    const { rows } = await system.owner.query(
      'SELECT due_at = expires_at AS waits FROM authorizations WHERE payment_id = $1',
      [id],
    );
    expect([(await world.read(id)).status, rows]).toEqual(['authorized', [{ waits: true }]]);
  });

  it('is tried again an hour later where the void is refused', async () => {
    const id = await world.authorize({ payment_method: 'pm_test_void_refused' });
    await expire(id);
    for (let hour = 1; hour <= 2; hour++) {
      await sweepOnce();
      await sweepOnce();
      await system.sweep();
      const { rows } = await system.owner.query(
        `SELECT count(*)::int AS n FROM operations WHERE payment_id = $1 AND kind = 'void'`,
        [id],
      );
      expect(rows[0].n).toBe(hour);
      await system.advance(3_600_000);
    }
    expect((await world.read(id)).status).toBe('authorized');
  });
});

describe('a void', () => {
  it('by id answers 200 with the canceled payment, and replays', async () => {
    const id = await world.authorize();
    const key = randomUUID();
    const first = await world.cancel(id, key);
    expect([first.status, first.json.status]).toEqual([200, 'canceled']);
    expectReplay(await world.cancel(id, key), first);
    expectProblem(await world.cancel(id), { code: 'payment_not_cancelable' });
    expect(await voidsOf(id)).toBe(1);
  });

  it('that is refused is 402, saved; the payment is still authorized, and a new cancel tries again', async () => {
    const id = await world.authorize({ payment_method: 'pm_test_void_refused' });
    const key = randomUUID();
    const refused = await world.cancel(id, key);
    expectProblem(refused, { code: 'void_failed', key });
    expectReplay(await world.cancel(id, key), refused);
    expectProblem(await world.cancel(id), { code: 'void_failed' });
    expect((await world.read(id)).status).toBe('authorized');
    expect((await world.capture(id)).status).toBe(200);
  });

  it('whose answer is lost is 202, and recovery finds it', async () => {
    const id = await world.authorize();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const key = randomUUID();
    const lost = await world.cancel(id, key);
    expect([lost.status, lost.json.status]).toEqual([202, 'authorized']);
    expect(lost.json.unresolved).toContain('void');
    expectProblem(await world.capture(id), { code: 'payment_in_progress' });
    await system.advance(60_000);
    await system.sweep();
    const found = await world.cancel(id, key);
    expect([found.status, found.json.status, await voidsOf(id)]).toEqual([200, 'canceled', 1]);
  });

  it('by the payment’s key is one void, however many ask', async () => {
    const key = randomUUID();
    const { json } = await system.client.post('/v1/payments', body(), key);
    const answers = await Promise.all(Array.from({ length: 5 }, () => cancelByKey(key)));
    expect(
      answers.map(({ status }) => status).every((status) => status === 200 || status === 202),
    ).toBe(true);
    const again = await cancelByKey(key);
    expect([again.status, again.json]).toEqual([
      200,
      { object: 'cancellation', status: 'canceled', payment_id: json.id },
    ]);
    expect(await voidsOf(json.id)).toBe(1);
  });

  it('races a capture: one wins, and both answers say which', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await world.authorize();
      const [captured, canceled] = await Promise.all([world.capture(id), world.cancel(id)]);
      const { status } = await world.read(id);
      expect([captured.status, canceled.status, status]).toEqual(
        status === 'succeeded' ? [200, 409, 'succeeded'] : [409, 200, 'canceled'],
      );
    }
  });
});

describe('a refund that was never sent', () => {
  it('is given up by its key, and ends as failed', async () => {
    const id = await world.pay();
    const key = randomUUID();
    await system.mockClient.faults({ fault: 'busy', times: 1 });
    expectProblem(await world.refund(id, { amount: 100 }, key), { code: 'processor_unavailable' });
    const gone = await cancelByKey(key);
    expect([gone.status, gone.json.status]).toEqual([200, 'canceled']);
    const late = await world.refund(id, { amount: 100 }, key);
    expectProblem(late, { code: 'refund_failed', key });
    expect(late.json.refund.failure.code).toBe('canceled');
    expect((await world.refund(id)).json.amount).toBe(2500);
  });

  it('is closed at its key’s end, and its amount is free all the while', async () => {
    const id = await world.pay();
    const key = randomUUID();
    await system.mockClient.faults({ fault: 'busy', times: 1 });
    expectProblem(await world.refund(id, { amount: 100 }, key), { code: 'processor_unavailable' });
    expect((await world.refund(id)).json.amount).toBe(2500);
    expectProblem(await world.refund(id, { amount: 100 }, key), { code: 'already_refunded' });
    await endKey(id);
    await system.sweep();
    const closed = await world.refund(id, { amount: 100 }, key);
    expectProblem(closed, { code: 'refund_failed', key });
    expect(closed.json.refund.failure.code).toBe('not_sent');
  });
});

function body(): object {
  return { amount: 2500, currency: 'myr', payment_method: 'pm_card_visa', capture: 'manual' };
}
