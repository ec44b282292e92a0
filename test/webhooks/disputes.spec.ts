import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { bank, paid } from './dispute-world.js';
import { balances, moneyOf } from './money-world.js';
import {
  applyAll,
  criticals,
  deliver,
  eventOf,
  happens,
  holdRecoveryBack,
  inboxOf,
} from './webhook-world.js';

let system: System;
beforeAll(async () => {
  system = await startSystem({ bendTime: true, webhooks: true });
});
afterAll(() => system.close());

describe('a dispute', () => {
  it('takes its money at once, tells of it, and gives it back when it is won', async () => {
    const payment = await paid(system);
    await bank(system, 'dispute_opened', payment, 1000);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      status: 'succeeded',
      captured: 2500,
      disputed: 1000,
      ledger: [
        ['charge', 2500],
        ['processor_fee', 103],
        ['dispute', 1000],
      ],
      events: ['payment.succeeded', 'dispute.opened'],
      breaks: [],
      disputes: [{ status: 'open', amount: 1000, excess: 0 }],
    });
    await bank(system, 'dispute_won', payment);
    const won = await moneyOf(system, payment.id);
    expect(won).toMatchObject({
      disputed: 0,
      events: ['payment.succeeded', 'dispute.opened', 'dispute.won'],
      disputes: [{ status: 'won', amount: 1000, excess: 0 }],
    });
    expect(won.ledger.slice(3)).toEqual([['dispute_won', 1000]]);
    expect(await balances(system, payment.id)).toMatchObject({ merchant_payable: -2500 });
    const { rows } = await system.owner.query(
      `SELECT payload FROM outbox_events WHERE payment_id = $1 AND type = 'dispute.won'`,
      [payment.id],
    );
    expect(rows[0].payload).toMatchObject({
      object: 'dispute',
      payment_id: payment.id,
      status: 'won',
      amount: 1000,
      currency: 'myr',
      processor: { name: 'mock', id: expect.stringMatching(/^du_/) },
      closed_at: expect.stringMatching(/Z$/),
    });
  });

  it('that is lost changes its status alone', async () => {
    const payment = await paid(system);
    await bank(system, 'dispute_opened', payment);
    const { ledger } = await moneyOf(system, payment.id);
    await bank(system, 'dispute_lost', payment);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      disputed: 2500,
      ledger,
      events: ['payment.succeeded', 'dispute.opened', 'dispute.lost'],
      disputes: [{ status: 'lost', excess: 0 }],
    });
  });

  it('is read back: which of its events come, how often and in what order does not matter', async () => {
    const orders = ['normal', 'reversed', 'shuffled'];
    const ends = await Promise.all(orders.map(() => paid(system)));
    for (const [index, payment] of ends.entries()) {
      await system.mockClient.control('PUT', 'webhooks', {
        order: orders[index],
        copies: 3,
        two_ids: true,
        seed: 11,
      });
      for (const kind of ['dispute_opened', 'dispute_won', 'dispute_opened', 'dispute_lost']) {
        await happens(system, kind, { payment_intent: payment.processorId });
      }
    }
    await system.mockClient.control('PUT', 'webhooks', {});
    await applyAll(system);
    for (const { id } of ends) {
      const money = await moneyOf(system, id);
      expect(money).toMatchObject({ disputed: 2500, captured: 2500 });
      expect(money.disputes.map(({ status }) => status).sort()).toEqual(['lost', 'won']);
      expect(await balances(system, id)).toMatchObject({ merchant_payable: 0 });
      expect((await balances(system, id))['suspense'] ?? 0).toBe(0);
      expect(money.breaks.filter(({ status }) => status === 'open')).toEqual([]);
    }
    expect(criticals(system)).toEqual([]);
  });

  it('whose opening was never heard of is recorded from its end', async () => {
    const payment = await paid(system);
    await system.mockClient.control('PUT', 'webhooks', { drop: true });
    await system.mockClient.control('POST', 'events', {
      kind: 'dispute_opened',
      payment_intent: payment.processorId,
    });
    await system.mockClient.control('PUT', 'webhooks', {});
    await bank(system, 'dispute_won', payment);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      disputed: 0,
      events: ['payment.succeeded', 'dispute.opened', 'dispute.won'],
      disputes: [{ status: 'won' }],
    });
  });

  it('of a payment that nobody knows the end of settles the payment first', async () => {
    const { status, json } = await system.client.pay({ payment_method: 'pm_test_lose_response' });
    expect(status).toBe(202);
    await holdRecoveryBack(system);
    const [charge] = (await system.booked('charge')).slice(-1);
    await bank(system, 'dispute_opened', { id: json.id, processorId: charge?.id ?? '' }, 700);
    expect(await moneyOf(system, json.id)).toMatchObject({
      status: 'succeeded',
      disputed: 700,
      events: ['payment.succeeded', 'dispute.opened'],
    });
  });

  it('of somebody else is ignored', async () => {
    const { json } = await system.mockClient.charge('pm_card_visa');
    await happens(system, 'dispute_opened', { payment_intent: json.id });
    expect((await system.sweepInbox()).ignored).toBeGreaterThan(0);
  });

  it('that the processor does not show yet is waited for', async () => {
    const payment = await paid(system);
    await system.mockClient.faults({ mode: 'not_found_window', window_ms: 3_600_000 });
    await happens(system, 'dispute_opened', { payment_intent: payment.processorId, amount: 600 });
    expect((await system.sweepInbox()).wait).toBeGreaterThan(0);
    await system.mockClient.faults({});
    await applyAll(system);
    expect(await moneyOf(system, payment.id)).toMatchObject({ disputed: 600 });
  });

  it('that nobody knows is ignored, whatever an event says', async () => {
    const event = eventOf({ id: 'du_none' }, { type: 'charge.dispute.created' });
    await deliver(system, event);
    await applyAll(system);
    expect(await inboxOf(system, event['id'])).toMatchObject([
      { state: 'ignored', reason: 'the processor knows no such dispute' },
    ]);
  });
});
