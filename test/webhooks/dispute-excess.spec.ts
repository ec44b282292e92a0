import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptLateSuccess } from '#payments/accept-late-success.js';
import { recordDispute } from '#payments/record-dispute.js';
import { type System, startSystem } from '#testing/system.js';
import { alarmsOf, bank, giveBack, newSeen, paid, reserve } from './dispute-world.js';
import { balances, moneyOf } from './money-world.js';

let system: System;
beforeAll(async () => {
  system = await startSystem({ bendTime: true, webhooks: true });
});
afterAll(() => system.close());

describe('a dispute above what is left', () => {
  it('books all the same: the rest stands in suspense, with a break that closes when it is won', async () => {
    const payment = await paid(system);
    await reserve(system, payment.id, 2000);
    await bank(system, 'dispute_opened', payment, 2500);
    const open = await moneyOf(system, payment.id);
    expect(open).toMatchObject({
      disputed: 2500,
      breaks: [{ kind: 'dispute_excess', status: 'open', amount: 2000 }],
      disputes: [{ status: 'open', amount: 2500, excess: 2000 }],
    });
    expect(open.ledger.slice(2)).toEqual([
      ['dispute', 500],
      ['dispute_excess', 2000],
    ]);
    expect(await balances(system, payment.id)).toMatchObject({ suspense: 2000 });
    expect(alarmsOf(system, payment.id)).toMatchObject([{ event: 'dispute_excess', excess: 2000 }]);
    await bank(system, 'dispute_won', payment);
    const won = await moneyOf(system, payment.id);
    expect(won).toMatchObject({ disputed: 0, breaks: [{ status: 'closed' }] });
    expect(won.ledger.slice(4)).toEqual([
      ['dispute_excess_won', 2000],
      ['dispute_won', 500],
    ]);
    expect(await balances(system, payment.id)).toMatchObject({ suspense: 0 });
  });

  it('leaves suspense as far as a refund that was not made gives room, and then altogether', async () => {
    const payment = await paid(system);
    await reserve(system, payment.id, 2000);
    await bank(system, 'dispute_opened', payment, 2500);
    expect(await giveBack(system, payment.id, 1500)).toBe(1500);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      breaks: [{ status: 'open', amount: 500 }],
      disputes: [{ excess: 500 }],
    });
    expect(await giveBack(system, payment.id, 500)).toBe(500);
    const money = await moneyOf(system, payment.id);
    expect(money).toMatchObject({
      breaks: [{ status: 'closed' }],
      disputes: [{ excess: 0 }],
    });
    expect(await balances(system, payment.id)).toMatchObject({ suspense: 0, merchant_payable: 0 });
    // Won now, all of it is the merchant's.
    await bank(system, 'dispute_won', payment);
    expect(await balances(system, payment.id)).toMatchObject({
      suspense: 0,
      merchant_payable: -2500,
    });
  });

  it('makes room for another one when it is won, and that is in its commit', async () => {
    const payment = await paid(system);
    await bank(system, 'dispute_opened', payment, 2500);
    await bank(system, 'dispute_lost', payment);
    await bank(system, 'dispute_opened', payment, 1000);
    expect((await moneyOf(system, payment.id)).disputes).toEqual([
      { status: 'lost', amount: 2500, excess: 0 },
      { status: 'open', amount: 1000, excess: 1000 },
    ]);
    const seen = await seenOf(payment.id, 'lost');
    await recordDispute(system.core.deps, { ...seen, status: 'won' });
    expect(await moneyOf(system, payment.id)).toMatchObject({
      disputed: 1000,
      breaks: [{ status: 'closed' }],
      disputes: [
        { status: 'won', excess: 0 },
        { status: 'open', excess: 0 },
      ],
    });
    expect(await balances(system, payment.id)).toMatchObject({
      suspense: 0,
      merchant_payable: -1500,
    });
  });

  it('of money that came late comes out of suspense, and is the merchant’s once that is accepted', async () => {
    const declined = await system.client.pay({ payment_method: 'pm_card_chargeDeclined' });
    const { id, processor } = declined.json.payment;
    const payment = { id, processorId: processor.id };
    await system.mockClient.control('PUT', 'webhooks', { drop: true });
    await system.mockClient.control('POST', 'events', {
      kind: 'late_success',
      payment_intent: processor.id,
    });
    await system.mockClient.control('PUT', 'webhooks', {});
    await bank(system, 'dispute_opened', payment); // the first that is heard of the money
    expect(await moneyOf(system, id)).toMatchObject({
      status: 'failed',
      disputed: 2500,
      events: ['payment.failed', 'payment.late_success', 'dispute.opened'],
      disputes: [{ excess: 2500 }],
    });
    expect(await balances(system, id)).toMatchObject({ suspense: 0 });
    const { rows } = await system.owner.query(
      `SELECT id FROM breaks WHERE payment_id = $1 AND kind = 'late_success'`,
      [id],
    );
    await acceptLateSuccess(
      { ...system.core.deps, orderOnce: true },
      { breakId: rows[0].id, actor: 'mei', reasonCode: 'ours', reason: 'It is ours to argue.' },
    );
    expect(await moneyOf(system, id)).toMatchObject({
      status: 'succeeded',
      disputes: [{ excess: 0 }],
    });
    expect(await balances(system, id)).toMatchObject({ suspense: 0, merchant_payable: 0 });
  });

  it('at the instant of a refund that gives room: whichever is first, the end is the same', async () => {
    for (let round = 0; round < 5; round++) {
      const payment = await paid(system);
      await reserve(system, payment.id, 2000);
      const seen = newSeen(system, payment.id);
      await Promise.all([
        giveBack(system, payment.id, 2000),
        recordDispute(system.core.deps, seen),
      ]);
      expect(await moneyOf(system, payment.id)).toMatchObject({ disputes: [{ excess: 0 }] });
      const { suspense = 0, merchant_payable: payable } = await balances(system, payment.id);
      expect([suspense, payable]).toEqual([0, 0]);
    }
  });
});

async function seenOf(paymentId: string, status: string) {
  const { rows } = await system.owner.query(
    'SELECT processor_id, amount::int FROM disputes WHERE payment_id = $1 AND status = $2',
    [paymentId, status],
  );
  const [{ processor_id: processorId, amount }] = rows;
  return { ...newSeen(system, paymentId), processorId, amount };
}
