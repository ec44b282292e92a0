import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRefundNews } from '#payments/record-refund-news.js';
import { failEachChange } from '#testing/fail-each-change.js';
import { type System, startSystem } from '#testing/system.js';
import { alarmsOf, bank } from './dispute-world.js';
import { balances, moneyOf } from './money-world.js';
import { refund } from './step-world.js';
import { applyAll, deliver, eventOf, happens, inboxOf, untilHeard } from './webhook-world.js';

let system: System;
beforeAll(async () => {
  system = await startSystem({ bendTime: true, webhooks: true });
});
afterAll(() => system.close());

async function paid(body: object = {}) {
  const { status, json } = await system.client.pay(body);
  expect(status).toBe(201);
  return { id: json.id as string, processorId: json.processor.id as string };
}

/** The refunds of a payment, oldest first. */
async function refundsOf(paymentId: string) {
  const { rows } = await system.owner.query(
    `SELECT id, status, amount::int, processor_id, failure_code FROM refunds
      WHERE payment_id = $1 ORDER BY id`,
    [paymentId],
  );
  return rows;
}

const reservedOf = async (paymentId: string) => {
  const { rows } = await system.owner.query(
    'SELECT amount_reserved::int AS reserved FROM payments WHERE id = $1',
    [paymentId],
  );
  return rows[0].reserved;
};

/** A refund that the processor took, by its id there. */
async function refunded(paymentId: string, amount: number | null = null): Promise<string> {
  const { status } = await refund(system, paymentId, amount);
  expect(status).toBe(201);
  return (await refundsOf(paymentId)).at(-1)?.processor_id;
}

/** The mock lets its refunds become what they become after some seconds, and tells of it. */
async function laterAt(refundId: string, type: string): Promise<void> {
  await system.advance(10_000);
  await untilHeard(system, refundId, type);
  await applyAll(system);
}

describe('a refund that the processor took', () => {
  it('and had pending succeeds when its news comes; the money has left only once', async () => {
    const payment = await paid({ payment_method: 'pm_card_pendingRefund' });
    const id = await refunded(payment.id, 1000);
    expect(await moneyOf(system, payment.id)).toMatchObject({ refunded: 0 });
    await laterAt(id, 'refund.updated');
    const money = await moneyOf(system, payment.id);
    expect(money).toMatchObject({
      refunded: 1000,
      events: ['payment.succeeded', 'refund.pending', 'refund.succeeded'],
    });
    expect(money.ledger.slice(2)).toEqual([['refund', 1000]]);
    expect(await refundsOf(payment.id)).toMatchObject([{ status: 'succeeded' }]);
    expect(await reservedOf(payment.id)).toBe(1000);
  });

  it('and that fails days later comes back, and can be refunded again', async () => {
    const payment = await paid();
    const id = await refunded(payment.id);
    expect(await moneyOf(system, payment.id)).toMatchObject({ refunded: 2500 });
    await happens(system, 'refund_failed', { refund: id });
    await applyAll(system);
    const money = await moneyOf(system, payment.id);
    expect(money).toMatchObject({
      refunded: 0,
      events: ['payment.succeeded', 'refund.succeeded', 'refund.failed'],
      breaks: [],
    });
    expect(money.ledger.slice(2)).toEqual([
      ['refund', 2500],
      ['refund_failed', 2500],
    ]);
    expect(await balances(system, payment.id)).toMatchObject({ merchant_payable: -2500 });
    expect(await reservedOf(payment.id)).toBe(0);
    expect(await refundsOf(payment.id)).toMatchObject([
      { status: 'failed', failure_code: 'failed_later' },
    ]);
    expect(system.log).toContainEqual(
      expect.objectContaining({ event: 'refund_failed_late', level: 'warning', processor_id: id }),
    );
    expect((await refund(system, payment.id, 2500)).status).toBe(201);
  });

  it('and fails while it is still pending there comes back too', async () => {
    const payment = await paid({ payment_method: 'pm_card_pendingRefund' });
    const id = await refunded(payment.id, 600);
    await happens(system, 'refund_failed', { refund: id });
    await applyAll(system);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      refunded: 0,
      events: ['payment.succeeded', 'refund.pending', 'refund.failed'],
    });
    expect(await reservedOf(payment.id)).toBe(0);
  });

  it('frees its order with the last of it; coming back, it leaves the order to whoever has it by then', async () => {
    const order = randomUUID();
    const payment = await paid({ order_id: order, payment_method: 'pm_card_pendingRefund' });
    const id = await refunded(payment.id);
    const early = await system.client.pay({ order_id: order });
    expect(early.status).toBe(409);
    await laterAt(id, 'refund.updated');
    const other = await system.client.pay({ order_id: order });
    expect(other.status).toBe(201);
    await happens(system, 'refund_failed', { refund: id });
    await applyAll(system);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      refunded: 0,
      breaks: [{ kind: 'refund_failed_late', reference: id, status: 'open', amount: 2500 }],
    });
    const { rows } = await system.owner.query(
      'SELECT payment_id FROM order_slots WHERE order_id = $1',
      [order],
    );
    expect(rows).toEqual([{ payment_id: other.json.id }]);
  });

  it('gives room to a dispute that stood above its payment', async () => {
    const payment = await paid();
    const id = await refunded(payment.id);
    await bank(system, 'dispute_opened', payment);
    expect(await balances(system, payment.id)).toMatchObject({ suspense: 2500 });
    await happens(system, 'refund_failed', { refund: id });
    await applyAll(system);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      breaks: [{ kind: 'dispute_excess', status: 'closed' }],
      disputes: [{ excess: 0 }],
    });
    expect(await balances(system, payment.id)).toMatchObject({ suspense: 0, merchant_payable: 0 });
  });

  it('and of which we never heard the end is settled by its news', async () => {
    const payment = await paid();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    expect((await refund(system, payment.id, 900)).status).toBe(202);
    const [line] = (await system.booked('refund')).slice(-1);
    await untilHeard(system, line?.id ?? '', 'refund.created');
    await applyAll(system);
    expect(await moneyOf(system, payment.id)).toMatchObject({ refunded: 900 });
    expect(await refundsOf(payment.id)).toMatchObject([
      { status: 'succeeded', processor_id: line?.id },
    ]);
    expect(
      await system
        .booked('refund')
        .then((lines) => lines.filter(({ parent }) => parent === payment.processorId)),
    ).toHaveLength(1);
  });
});

describe('the record step of such news', () => {
  it('runs once, whatever comes again, late, or at once', async () => {
    const payment = await paid({ payment_method: 'pm_card_pendingRefund' });
    await refunded(payment.id, 800);
    const [row] = await refundsOf(payment.id);
    const seen = seenOf(payment.id, row);
    const verdicts = await Promise.all(
      (['succeeded', 'pending', 'failed', 'succeeded', 'failed', 'pending'] as const).map(
        (status) => recordRefundNews(system.core.deps, { ...seen, status }),
      ),
    );
    expect(verdicts.some(({ kind }) => kind === 'contradicted')).toBe(false);
    const money = await moneyOf(system, payment.id);
    expect(money).toMatchObject({ refunded: 0 });
    expect(money.ledger.slice(2)).toEqual([
      ['refund', 800],
      ['refund_failed', 800],
    ]);
    expect(await reservedOf(payment.id)).toBe(0);
    const late = await recordRefundNews(system.core.deps, { ...seen, status: 'succeeded' });
    expect(late).toEqual({ kind: 'known' });
    expect(await moneyOf(system, payment.id)).toEqual(money);
  });

  it('is whole or nothing, at each table that it changes', async () => {
    const payment = await paid();
    await refunded(payment.id, 800);
    const [row] = await refundsOf(payment.id);
    const seen = { ...seenOf(payment.id, row), status: 'failed' as const };
    const before = [await moneyOf(system, payment.id), await refundsOf(payment.id)];
    const tables = ['refunds', 'payments', 'ledger_entries', 'outbox_events'];
    await failEachChange(system.owner, tables, async () => {
      await expect(recordRefundNews(system.core.deps, seen)).rejects.toThrow('fails here');
      expect([await moneyOf(system, payment.id), await refundsOf(payment.id)]).toEqual(before);
    });
  });

  it('of a second refund under one operation is left to a person', async () => {
    const payment = await paid();
    const id = await refunded(payment.id, 800);
    const { metadata } = (await system.booked('refund')).at(-1) ?? {};
    const second = await system.mockClient.post('/v1/refunds', {
      payment_intent: payment.processorId,
      amount: '100',
      'metadata[payonce_account]': metadata?.['payonce_account'] ?? '',
      'metadata[payonce_intent]': metadata?.['payonce_intent'] ?? '',
    });
    await untilHeard(system, second.json.id, 'refund.created');
    await applyAll(system);
    expect(alarmsOf(system, payment.id)).toMatchObject([
      { event: 'refund_contradicted', processor_id: second.json.id },
    ]);
    expect(await refundsOf(payment.id)).toMatchObject([{ processor_id: id, amount: 800 }]);
  });
});

describe('a refund that is not of us', () => {
  it('is ignored, and said at WARNING if it is of a payment of ours', async () => {
    const payment = await paid();
    const made = await system.mockClient.post('/v1/refunds', {
      payment_intent: payment.processorId,
      amount: '100',
    });
    await untilHeard(system, made.json.id, 'refund.created');
    await applyAll(system);
    expect(system.log).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        event: 'refund_made_elsewhere',
        processor_id: made.json.id,
        amount: 100,
      }),
    );
    expect(await moneyOf(system, payment.id)).toMatchObject({ refunded: 0 });
  });

  it('that the processor does not show yet is waited for', async () => {
    const payment = await paid({ payment_method: 'pm_card_pendingRefund' });
    expect((await refund(system, payment.id, 300)).json.status).toBe('pending');
    await applyAll(system);
    const [made] = await refundsOf(payment.id);
    // An hour: a late event makes applyAll move the mock's clock.
    await system.mockClient.faults({ mode: 'not_found_window', window_ms: 3_600_000 });
    await happens(system, 'refund_failed', { refund: made?.processor_id });
    expect((await system.sweepInbox()).wait).toBeGreaterThan(0);
    await system.mockClient.faults({});
    await applyAll(system);
    expect(await refundsOf(payment.id)).toMatchObject([{ status: 'failed' }]);
  });

  it('that nobody knows is ignored', async () => {
    const event = eventOf({ id: 're_none', object: 'refund' }, { type: 'refund.updated' });
    await deliver(system, event);
    await applyAll(system);
    expect(await inboxOf(system, event['id'])).toMatchObject([
      { state: 'ignored', reason: 'the processor knows no such refund' },
    ]);
  });
});

function seenOf(paymentId: string, row: { id: string; processor_id: string }) {
  return {
    accountId: system.account.id,
    paymentId,
    refundId: row.id,
    processorId: row.processor_id,
    status: 'succeeded' as const,
    failureReason: null,
  };
}
