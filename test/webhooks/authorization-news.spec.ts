import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { alarmsOf } from './dispute-world.js';
import { moneyOf } from './money-world.js';
import { authorize } from './step-world.js';
import {
  applyAll,
  deliver,
  eventOf,
  happens,
  holdRecoveryBack,
  inboxOf,
  untilHeard,
} from './webhook-world.js';

let system: System;
beforeAll(async () => {
  system = await startSystem({ bendTime: true, webhooks: true });
});
afterAll(() => system.close());

const bookedOf = async (processorId: string) =>
  (await system.booked())
    .filter(({ id, parent }) => id === processorId || parent === processorId)
    .map(({ operation }) => operation);

const cancel = (id: string) => system.client.post(`/v1/payments/${id}/cancel`, {}, `cancel ${id}`);

describe('news of an authorized payment', () => {
  it('that expired there cancels it, by the processor’s word and without a send', async () => {
    const payment = await authorize(system);
    await happens(system, 'authorization_expired', { payment_intent: payment.processorId });
    await applyAll(system);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      status: 'canceled',
      captured: 0,
      ledger: [],
      events: ['payment.authorized', 'payment.canceled'],
    });
    expect(await bookedOf(payment.processorId)).toEqual(['authorize', 'void']); // of the expiry itself
    expect(await attemptsOf(payment.id, 'void')).toEqual(['look_up']);
  });

  it('that expired there cancels it, also where nobody knows what became of its void', async () => {
    const payment = await authorize(system);
    await system.mockClient.faults({ fault: 'lose_request', times: 1 });
    expect((await cancel(payment.id)).status).toBe(202);
    await system.mockClient.faults({});
    await system.advance(60_000);
    await holdRecoveryBack(system);
    await happens(system, 'authorization_expired', { payment_intent: payment.processorId });
    await applyAll(system);
    expect(await moneyOf(system, payment.id)).toMatchObject({ status: 'canceled', ledger: [] });
    expect(await bookedOf(payment.processorId)).toEqual(['authorize', 'void']); // of the expiry itself
  });

  it('that was captured there, in part, is captured here with what was taken', async () => {
    const payment = await authorize(system);
    await system.mockClient.post(`/v1/payment_intents/${payment.processorId}/capture`, {
      amount_to_capture: '1800',
    });
    await untilHeard(system, payment.processorId, 'payment_intent.succeeded');
    await applyAll(system);
    const money = await moneyOf(system, payment.id);
    expect(money).toMatchObject({
      status: 'succeeded',
      captured: 1800,
      events: ['payment.authorized', 'payment.succeeded'],
    });
    expect(money.ledger[0]).toEqual(['capture', 1800]);
    expect(await attemptsOf(payment.id, 'capture')).toEqual(['look_up']);
  });

  it.each(['payment_intent.canceled', 'charge.expired', 'payment_intent.succeeded'])(
    'whose end only an event claims stays authorized: %s',
    async (type) => {
      const payment = await authorize(system);
      const object = { payment_intent: payment.processorId, ...(await referenceOf(payment.id)) };
      const id = type.startsWith('charge.') ? 'ch_1' : payment.processorId;
      const event = eventOf({ ...object, id }, { type });
      await deliver(system, event);
      await applyAll(system);
      expect(await inboxOf(system, event['id'])).toMatchObject([
        { state: 'applied', reason: 'read back: it is still requires_capture' },
      ]);
      expect(await moneyOf(system, payment.id)).toMatchObject({ status: 'authorized' });
      expect(await bookedOf(payment.processorId)).toEqual(['authorize']);
    },
  );

  it('that was captured after it had been canceled is late money', async () => {
    const payment = await authorize(system);
    await happens(system, 'authorization_expired', { payment_intent: payment.processorId });
    await applyAll(system);
    await happens(system, 'late_success', { payment_intent: payment.processorId });
    await applyAll(system);
    expect(await moneyOf(system, payment.id)).toMatchObject({
      status: 'canceled',
      ledger: [
        ['late_success', 2500],
        ['processor_fee', 103],
      ],
      breaks: [{ kind: 'late_success', status: 'open' }],
    });
    expect(alarmsOf(system, payment.id)).toMatchObject([{ event: 'late_success' }]);
  });
});

async function attemptsOf(paymentId: string, kind: string): Promise<string[]> {
  const { rows } = await system.owner.query(
    `SELECT a.action FROM attempts a
       JOIN operations o ON o.account_id = a.account_id AND o.id = a.operation_id
      WHERE o.payment_id = $1 AND o.kind = $2 ORDER BY a.opened_at`,
    [paymentId, kind],
  );
  return rows.map(({ action }) => action);
}

async function referenceOf(paymentId: string) {
  const { rows } = await system.owner.query(
    `SELECT account_id, processor_key FROM operations WHERE payment_id = $1 AND kind = 'charge'`,
    [paymentId],
  );
  const [{ account_id, processor_key }] = rows;
  return { metadata: { payonce_account: account_id, payonce_intent: processor_key } };
}
