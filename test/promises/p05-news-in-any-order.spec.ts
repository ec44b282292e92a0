import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lifeDisagreements } from '#testing/life-books.js';
import { type System, startSystem } from '#testing/system.js';
import { balances, moneyOf } from '../webhooks/money-world.js';
import { refund } from '../webhooks/step-world.js';
import { applyAll, deliver, holdRecoveryBack } from '../webhooks/webhook-world.js';

type Event = { id: string; type: string };
type Payment = { id: string; processorId: string };
/** After each thing that happens there, its news is told, or is kept for later. */
type History = (hear: () => Promise<void>) => Promise<Payment>;

const ORDERS: Record<string, (events: Event[]) => Event[]> = {
  backward: (events) => events.toReversed(),
  'doubled, every second one first': (events) => [
    ...events.filter((_, index) => index % 2 === 1),
    ...events.filter((_, index) => index % 2 === 0),
    ...events,
  ],
  'the last half, then all, then backward': (events) => [
    ...events.slice(events.length / 2),
    ...events,
    ...events.toReversed(),
  ],
  'sorted by what they are called': (events) =>
    events.toSorted((one, other) => (one.type < other.type ? -1 : 1)),
};

describe('P5: whatever news comes, in whatever order and how often, the end is the same:', () => {
  let system: System;
  let told = new Set<string>();
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  const histories: Record<string, History> = {
    'refunds that succeed and fail later, and disputes above what is left': async (hear) => {
      const payment = await pay({ payment_method: 'pm_card_pendingRefund' }, 201);
      await hear();
      await refund(system, payment.id, 1000);
      await hear();
      await system.advance(10_000);
      await untilSettled(1);
      await hear();
      await refund(system, payment.id, 500);
      const last = (await system.booked('refund')).at(-1)?.id;
      await hear();
      await happen('refund_failed', { refund: last });
      await hear();
      await happen('dispute_opened', { payment_intent: payment.processorId, amount: 2000 });
      await hear();
      await happen('dispute_won', { payment_intent: payment.processorId });
      await hear();
      await happen('dispute_opened', { payment_intent: payment.processorId, amount: 2200 });
      await happen('dispute_lost', { payment_intent: payment.processorId });
      await hear();
      return payment;
    },
    'money that comes late, and is disputed': async (hear) => {
      const payment = await pay({ payment_method: 'pm_card_chargeDeclined' }, 402);
      await hear();
      await happen('late_success', { payment_intent: payment.processorId });
      await hear();
      await happen('dispute_opened', { payment_intent: payment.processorId });
      await hear();
      await happen('dispute_lost', { payment_intent: payment.processorId });
      await hear();
      return payment;
    },
    'a charge of which nobody heard, and its dispute': async (hear) => {
      const payment = await pay({ payment_method: 'pm_test_lose_response' }, 202);
      await holdRecoveryBack(system);
      await hear();
      await happen('dispute_opened', { payment_intent: payment.processorId, amount: 700 });
      await hear();
      await happen('dispute_won', { payment_intent: payment.processorId });
      await hear();
      return payment;
    },
  };

  it.each(Object.entries(histories))('%s', async (_what, history) => {
    const expected = await endOf(await history(tellNew));
    expect(expected.events.length).toBeGreaterThan(2);
    for (const [name, order] of Object.entries(ORDERS)) {
      const payment = await history(async () => {});
      await tell(order(await newEvents()));
      expect(await endOf(payment), name).toEqual(expected);
    }
  });

  async function pay(body: object, status: number): Promise<Payment> {
    const answer = await system.client.pay({ ...body, order_id: randomUUID() });
    expect(answer.status, answer.text).toBe(status);
    const { id, processor } = answer.json.payment ?? answer.json;
    const charged = (await system.booked('charge')).at(-1);
    return { id, processorId: processor.id ?? charged?.id };
  }

  async function happen(kind: string, about: object): Promise<void> {
    const answer = await system.mockClient.control('POST', 'events', { kind, ...about });
    expect(answer.status, answer.text).toBe(200);
  }

  /** The mock has let so many refunds more succeed. */
  async function untilSettled(count: number): Promise<void> {
    await expect
      .poll(async () => (await newEvents(true)).filter(isSuccess).length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(count);
  }

  /** What the processor has told of since the last time, oldest first. */
  async function newEvents(peek = false): Promise<(Event & { data: any })[]> {
    const listed = await system.mockClient.get('/v1/events?limit=100');
    const events = listed.json.data.filter(({ id }: Event) => !told.has(id)).toReversed();
    if (!peek) told = new Set([...told, ...events.map(({ id }: Event) => id)]);
    return events;
  }

  const tellNew = async () => tell(await newEvents());

  async function tell(events: Event[]): Promise<void> {
    for (const event of events) {
      expect((await deliver(system, event)).status).toBe(200);
      await system.sweepInbox();
    }
    await applyAll(system, 40);
  }

  /** All that is left when it is over; how it came to that may differ. */
  async function endOf({ id }: Payment) {
    expect(await lifeDisagreements(system, id)).toEqual([]);
    const {
      ledger: _ledger,
      events,
      breaks,
      processorId: _id,
      ...money
    } = await moneyOf(system, id);
    const { rows } = await system.owner.query(
      `SELECT r.status, r.amount::int, p.amount_reserved::int FROM payments p
         LEFT JOIN refunds r ON r.payment_id = p.id
        WHERE p.id = $1 ORDER BY r.id`,
      [id],
    );
    return {
      ...money,
      disputes: money.disputes.toSorted((one, other) => one.amount - other.amount),
      refunds: rows,
      balances: await balances(system, id),
      events: events.toSorted(),
      breaks: breaks
        .filter(({ status }) => status === 'open')
        .map(({ kind, amount }) => [kind, amount]),
    };
  }
});

function isSuccess({ type, data }: Event & { data: any }): boolean {
  return type === 'refund.updated' && data.object.status === 'succeeded';
}
