import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptLateSuccess } from '#payments/accept-late-success.js';
import { refundLateSuccess } from '#payments/refund-late-success.js';
import { type System, startSystem } from '#testing/system.js';
import { balances, moneyOf } from './money-world.js';
import { applyAll, happens, untilHeard } from './webhook-world.js';

let system: System;

/** A payment that failed, and whose money came after all; the news of it is applied. */
async function late(body: object = {}) {
  const key = randomUUID();
  const asked = { payment_method: 'pm_card_chargeDeclined', ...body };
  const answer = await system.client.pay(asked, key);
  expect(answer.status).toBe(402);
  const { id, processor } = answer.json.payment;
  await untilHeard(system, processor.id, 'payment_intent.payment_failed');
  await happens(system, 'late_success', { payment_intent: processor.id });
  await applyAll(system);
  const { rows } = await system.owner.query('SELECT id FROM breaks WHERE reference = $1', [
    processor.id,
  ]);
  return { id: id as string, processorId: processor.id as string, breakId: rows[0].id as string };
}

const giveBack = (breakId: string) =>
  refundLateSuccess(system.core.deps, { breakId, reason: 'a person said so', requestId: 'req_1' });

const refundsOf = async (breakId: string) => {
  const { rows } = await system.owner.query(
    'SELECT id, status, processor_id FROM refunds WHERE break_id = $1 ORDER BY id',
    [breakId],
  );
  return rows;
};

const bookedRefunds = async (processorId: string) =>
  (await system.booked('refund')).filter(({ parent }) => parent === processorId);

/** A worker sends what is queued. */
async function work(): Promise<void> {
  await system.sweep();
  await applyAll(system);
}

describe('with LATE_SUCCESS_POLICY=refund, money that comes late', () => {
  beforeAll(async () => {
    system = await startSystem({
      bendTime: true,
      webhooks: true,
      env: { LATE_SUCCESS_POLICY: 'refund' },
    });
  });
  afterAll(() => system.close());

  it('is given back out of suspense, once, however often its news comes', async () => {
    await system.mockClient.control('PUT', 'webhooks', { two_ids: true, copies: 3 });
    const { id, processorId, breakId } = await late();
    await system.mockClient.control('PUT', 'webhooks', {});
    expect(await refundsOf(breakId)).toMatchObject([{ status: 'pending' }]);
    await work();
    const money = await moneyOf(system, id);
    expect(money).toMatchObject({
      status: 'failed',
      captured: 0,
      refunded: 0,
      events: ['payment.failed', 'payment.late_success', 'refund.succeeded'],
      breaks: [{ kind: 'late_success', status: 'closed', amount: 2500 }],
    });
    expect(money.ledger.at(-1)).toEqual(['late_success_refund', 2500]);
    expect(await balances(system, id)).toMatchObject({ suspense: 0 });
    expect(await bookedRefunds(processorId)).toMatchObject([{ amount: 2500 }]);
    expect(await refundsOf(breakId)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('cannot be accepted any more', async () => {
    const { breakId } = await late();
    const accepted = await acceptLateSuccess(
      { ...system.core.deps, orderOnce: true },
      { breakId, actor: 'mei', reasonCode: 'x', reason: 'x' },
    );
    expect(accepted).toEqual({ kind: 'not_acceptable', because: 'refund_ordered' });
    await work();
  });

  it('whose refund comes back days later stands in suspense again, for a person to decide', async () => {
    const { id, processorId, breakId } = await late();
    await work();
    const [first] = await refundsOf(breakId);
    await happens(system, 'refund_failed', { refund: first.processor_id });
    await applyAll(system);
    expect(await moneyOf(system, id)).toMatchObject({
      refunded: 0,
      breaks: [{ kind: 'late_success', status: 'open' }],
    });
    expect(await balances(system, id)).toMatchObject({ suspense: -2500 });
    await happensAgain(processorId); // the policy has tried once
    expect(await refundsOf(breakId)).toHaveLength(1);
    expect(await giveBack(breakId)).toMatchObject({ kind: 'queued' });
    await work();
    expect(await balances(system, id)).toMatchObject({ suspense: 0 });
    expect(await moneyOf(system, id)).toMatchObject({ breaks: [{ status: 'closed' }] });
    expect(await bookedRefunds(processorId)).toHaveLength(2);
  });

  it('and that the processor will not give back stays with its break open', async () => {
    const { id, processorId, breakId } = await late();
    await system.mockClient.control('PUT', 'webhooks', { drop: true });
    await system.mockClient.post('/v1/refunds', { payment_intent: processorId }); // somebody was there before
    await system.mockClient.control('PUT', 'webhooks', {});
    await work();
    expect(await refundsOf(breakId)).toMatchObject([{ status: 'failed' }]);
    expect(await moneyOf(system, id)).toMatchObject({
      breaks: [{ kind: 'late_success', status: 'open' }],
    });
    const { rows } = await system.owner.query(
      'SELECT refund_ordered_at FROM breaks WHERE id = $1',
      [breakId],
    );
    expect(rows).toEqual([{ refund_ordered_at: null }]);
  });

  it('and whose order to refund was cut in half is refunded by the next news of it', async () => {
    const { processorId, breakId } = await late();
    await work();
    // As a crash leaves it: ordered, and nothing queued yet.
    const other = await late();
    await system.owner.query(`
      WITH gone AS (DELETE FROM refunds WHERE break_id = '${other.breakId}' RETURNING operation_id),
           op AS (DELETE FROM operations o USING gone WHERE o.id = gone.operation_id RETURNING o.key_hash),
           due AS (DELETE FROM unresolved u USING op WHERE u.key_hash = op.key_hash)
      DELETE FROM idempotency_keys k USING op WHERE k.key_hash = op.key_hash`);
    await happensAgain(other.processorId);
    await work();
    expect(await refundsOf(other.breakId)).toMatchObject([{ status: 'succeeded' }]);
    expect(await bookedRefunds(processorId)).toHaveLength(1);
    expect(await refundsOf(breakId)).toHaveLength(1);
  });
});

describe('with LATE_SUCCESS_POLICY=review, the default, money that comes late', () => {
  beforeAll(async () => {
    system = await startSystem({ bendTime: true, webhooks: true });
  });
  afterAll(() => system.close());

  it('waits for a person, who gives it back; any number of them at once do so once', async () => {
    const { id, processorId, breakId } = await late();
    await work();
    expect(await refundsOf(breakId)).toEqual([]);
    const orders = await Promise.all([giveBack(breakId), giveBack(breakId), giveBack(breakId)]);
    expect(orders.map(({ kind }) => kind).sort()).toEqual(['queued', 'there', 'there']);
    await work();
    expect(await bookedRefunds(processorId)).toHaveLength(1);
    expect(await balances(system, id)).toMatchObject({ suspense: 0 });
    expect(await giveBack(breakId)).toEqual({ kind: 'not_refundable', because: 'closed' });
    expect(await giveBack(randomUUID())).toEqual({ kind: 'not_found' });
  });

  it('is accepted or given back, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, processorId, breakId } = await late();
      const [accepted, ordered] = await Promise.all([
        acceptLateSuccess(
          { ...system.core.deps, orderOnce: true },
          { breakId, actor: 'mei', reasonCode: 'x', reason: 'x' },
        ),
        giveBack(breakId),
      ]);
      await work();
      const isAccepted = accepted.kind === 'accepted';
      expect(ordered.kind === 'queued').toBe(!isAccepted);
      expect(await bookedRefunds(processorId)).toHaveLength(isAccepted ? 0 : 1);
      expect(await moneyOf(system, id)).toMatchObject({
        status: isAccepted ? 'succeeded' : 'failed',
        breaks: [{ status: 'closed' }],
      });
      expect(await balances(system, id)).toMatchObject({ suspense: 0 });
    }
  });
});

/** The news that brought the money is applied once more, as when an operator replays it. */
async function happensAgain(processorId: string): Promise<void> {
  await system.owner.query(
    `UPDATE webhook_inbox SET state = 'received', applied_at = NULL, next_try_at = now()
      WHERE object_id = $1 AND type = 'payment_intent.succeeded'`,
    [processorId],
  );
  await applyAll(system);
}
