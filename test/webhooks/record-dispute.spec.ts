import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordDispute } from '#payments/record-dispute.js';
import { failEachChange } from '#testing/fail-each-change.js';
import { type System, startSystem } from '#testing/system.js';
import { bank, newSeen, paid, reserve } from './dispute-world.js';
import { moneyOf } from './money-world.js';

let system: System;
beforeAll(async () => {
  system = await startSystem({ bendTime: true, webhooks: true });
});
afterAll(() => system.close());

describe('the record step of a dispute', () => {
  it('runs once, however many bring it at once', async () => {
    const payment = await paid(system);
    const seen = newSeen(system, payment.id);
    const won = { ...seen, status: 'won' as const };
    const verdicts = await Promise.all(
      [seen, seen, seen, won, won, won].map((each) => recordDispute(system.core.deps, each)),
    );
    expect(verdicts.some(({ kind }) => kind === 'contradicted')).toBe(false);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      disputed: 0,
      events: ['payment.succeeded', 'dispute.opened', 'dispute.won'],
    });
  });

  it('is whole or nothing, at each table that it changes', async () => {
    const payment = await paid(system);
    await reserve(system, payment.id, 2000);
    const seen = newSeen(system, payment.id);
    const tables = ['disputes', 'payments', 'ledger_entries', 'outbox_events', 'breaks'];
    for (const status of ['open', 'won'] as const) {
      const before = await moneyOf(system, payment.id);
      await failEachChange(system.owner, tables, async () => {
        await expect(recordDispute(system.core.deps, { ...seen, status })).rejects.toThrow(
          'fails here',
        );
        expect(await moneyOf(system, payment.id)).toEqual(before);
      });
      expect((await recordDispute(system.core.deps, { ...seen, status })).kind).toBe('recorded');
    }
  });

  it('stores an inquiry, which moves nothing and may become a dispute', async () => {
    const payment = await paid(system);
    const seen = newSeen(system, payment.id);
    const inquiry = { ...seen, status: 'inquiry' as const };
    expect((await recordDispute(system.core.deps, inquiry)).kind).toBe('recorded');
    expect(await recordDispute(system.core.deps, inquiry)).toEqual({ kind: 'known' });
    expect(await moneyOf(system, payment.id)).toMatchObject({
      disputed: 0,
      events: ['payment.succeeded'],
      disputes: [{ status: 'inquiry', excess: 0 }],
    });
    await recordDispute(system.core.deps, seen);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      disputed: 2500,
      events: ['payment.succeeded', 'dispute.opened'],
      disputes: [{ status: 'open' }],
    });
    expect(await recordDispute(system.core.deps, inquiry)).toEqual({ kind: 'known' });
  });

  it('of one that was lost and then won after all moves the money', async () => {
    const payment = await paid(system);
    const seen = newSeen(system, payment.id);
    for (const status of ['lost', 'won', 'open'] as const) {
      await recordDispute(system.core.deps, { ...seen, status });
    }
    expect(await moneyOf(system, payment.id)).toMatchObject({
      disputed: 0,
      events: ['payment.succeeded', 'dispute.opened', 'dispute.lost', 'dispute.won'],
      disputes: [{ status: 'won' }],
    });
  });

  it.each([
    ['another amount', { amount: 900 }, /amount was 2500/],
    ['another currency', { currency: 'usd' }, /in usd/],
    ['a loss of what was won', { status: 'lost' as const }, /was won/],
  ])('refuses %s', async (_what, change, words) => {
    const payment = await paid(system);
    const seen = newSeen(system, payment.id);
    await recordDispute(system.core.deps, { ...seen, status: 'won' });
    const before = await moneyOf(system, payment.id);
    const verdict = await recordDispute(system.core.deps, { ...seen, status: 'won', ...change });
    expect(verdict).toMatchObject({ kind: 'contradicted', detail: expect.stringMatching(words) });
    expect(await moneyOf(system, payment.id)).toEqual(before);
  });

  it('of a second charge is left to a person', async () => {
    const key = randomUUID();
    const { json } = await system.client.pay({}, key);
    const { metadata } = (await system.booked('charge')).at(-1) ?? {};
    const second = await system.mockClient.charge('pm_card_visa', {
      'metadata[payonce_account]': metadata?.['payonce_account'] ?? '',
      'metadata[payonce_intent]': metadata?.['payonce_intent'] ?? '',
    });
    await bank(system, 'dispute_opened', { id: json.id, processorId: second.json.id });
    expect(await moneyOf(system, json.id)).toMatchObject({ disputed: 0, disputes: [] });
    expect(await heldReasons(json.id)).toContain('a second charge');
  });
});

async function heldReasons(paymentId: string): Promise<string> {
  const { rows } = await system.owner.query(
    `SELECT reason FROM webhook_inbox WHERE payment_id = $1 AND state = 'held'`,
    [paymentId],
  );
  return rows.map(({ reason }) => reason).join();
}
