import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import { acceptLateSuccess } from '#payments/accept-late-success.js';
import { recordLateSuccess } from '#payments/record-late-success.js';
import { failEachChange } from '#testing/fail-each-change.js';
import { type System, startSystem } from '#testing/system.js';
import { balances, moneyOf } from './money-world.js';
import { applyAll, criticals, happens, inboxOf, untilHeard } from './webhook-world.js';

const DECLINED = { payment_method: 'pm_card_chargeDeclined' };
const FEE = 103;

let system: System;
beforeAll(async () => {
  system = await startSystem({ bendTime: true, webhooks: true });
});
afterAll(() => system.close());

/** A payment that was declined, with its news applied. */
async function declined(body: object = {}) {
  const key = randomUUID();
  const answer = await system.client.pay({ ...DECLINED, ...body }, key);
  expect(answer.status).toBe(402);
  const { id, processor } = answer.json.payment;
  await untilHeard(system, processor.id, 'payment_intent.payment_failed');
  await applyAll(system);
  return { id, processorId: processor.id, key, text: answer.text };
}

/** The same, and then the money comes after all. */
async function late(body: object = {}) {
  const payment = await declined(body);
  await happens(system, 'late_success', { payment_intent: payment.processorId });
  await applyAll(system);
  return { ...payment, breakId: await breakOf(payment.processorId) };
}

async function breakOf(reference: string): Promise<string> {
  const { rows } = await system.owner.query('SELECT id FROM breaks WHERE reference = $1', [
    reference,
  ]);
  return rows[0]?.id;
}

const alarms = (paymentId: string) =>
  criticals(system).filter(({ payment_id }) => payment_id === paymentId);

const accept = (breakId: string) =>
  acceptLateSuccess(
    { ...system.core.deps, orderOnce: true },
    { breakId, actor: 'mei', reasonCode: 'goods_sent', reason: 'The customer has the goods.' },
  );

describe('a success that comes after the payment had failed', () => {
  it('stands in suspense, with a break and an event; under two ids and doubled, once', async () => {
    await system.mockClient.control('PUT', 'webhooks', { two_ids: true, copies: 3 });
    const { id, processorId, key, text } = await late();
    await system.mockClient.control('PUT', 'webhooks', {});
    expect(await moneyOf(system, id)).toEqual({
      status: 'failed',
      captured: 0,
      disputed: 0,
      refunded: 0,
      processorId,
      ledger: [
        ['late_success', 2500],
        ['processor_fee', FEE],
      ],
      events: ['payment.failed', 'payment.late_success'],
      breaks: [{ kind: 'late_success', reference: processorId, status: 'open', amount: 2500 }],
      disputes: [],
    });
    expect(alarms(id)).toMatchObject([
      { event: 'late_success', processor_id: processorId, recorded: 'failed' },
    ]);
    expect((await inboxOf(system)).map(({ state }) => state)).not.toContain('held');
    const replay = await system.client.pay(DECLINED, key);
    expect([replay.status, replay.text]).toEqual([402, text]);
    expect(await balances(system, id)).toMatchObject({ suspense: -2500, processor_clearing: 2397 });
  });

  it('is recorded once by any number of bearers at once, and each hears where it stands', async () => {
    const payment = await declined();
    const seen = seenOf(payment.id, payment.processorId);
    const verdicts = await Promise.all(
      Array.from({ length: 8 }, () => recordLateSuccess(system.core.deps, seen)),
    );
    const breakId = await breakOf(payment.processorId);
    expect(verdicts).toEqual(verdicts.map(() => ({ kind: 'in_suspense', breakId, isOpen: true })));
    expect((await moneyOf(system, payment.id)).ledger).toHaveLength(2);
    expect(alarms(payment.id)).toHaveLength(1);
  });

  it('is recorded whole or not at all', async () => {
    const payment = await declined();
    const before = await moneyOf(system, payment.id);
    await failEachChange(
      system.owner,
      ['breaks', 'payments', 'ledger_entries', 'outbox_events'],
      async () => {
        const seen = seenOf(payment.id, payment.processorId);
        await expect(recordLateSuccess(system.core.deps, seen)).rejects.toThrow('fails here');
        expect(await moneyOf(system, payment.id)).toEqual(before);
      },
    );
    await happens(system, 'late_success', { payment_intent: payment.processorId });
    await applyAll(system);
    expect((await moneyOf(system, payment.id)).breaks).toHaveLength(1);
  });

  it('under a second charge of a payment that was paid is not the payment’s', async () => {
    const key = randomUUID();
    const { json } = await system.client.pay({}, key);
    const second = await system.mockClient.charge('pm_card_visa', {
      intent: deriveProcessorKey(system.account.id, 'charge', key),
      'metadata[payonce_account]': system.account.id,
    });
    await untilHeard(system, second.json.id, 'payment_intent.succeeded');
    await applyAll(system);
    const money = await moneyOf(system, json.id);
    expect(money).toMatchObject({
      status: 'succeeded',
      captured: 2500,
      processorId: json.processor.id,
      ledger: [
        ['charge', 2500],
        ['processor_fee', FEE],
        ['late_success', 2500],
        ['late_success_fee', FEE],
      ],
      breaks: [{ kind: 'late_success', reference: second.json.id, status: 'open' }],
    });
    const refused = await accept(await breakOf(second.json.id));
    expect(refused).toEqual({ kind: 'not_acceptable', because: 'payment_final' });
    expect(await moneyOf(system, json.id)).toEqual(money);
  });

  it('that is the very charge which paid changes nothing', async () => {
    const { json } = await system.client.pay();
    const before = await moneyOf(system, json.id);
    const verdict = await recordLateSuccess(system.core.deps, seenOf(json.id, json.processor.id));
    expect(verdict).toEqual({ kind: 'not_late' });
    expect(await moneyOf(system, json.id)).toEqual(before);
  });
});

describe('accepting it', () => {
  it('makes the payment succeed after all, takes its order, and its key replays the old answer', async () => {
    const order = randomUUID();
    const { id, processorId, breakId, key, text } = await late({ order_id: order });
    const accepted = await accept(breakId);
    expect(accepted).toMatchObject({
      kind: 'accepted',
      before: { status: 'failed', amount_captured: 0 },
      after: { status: 'succeeded', amount_captured: 2500, failure: null },
    });
    expect(await moneyOf(system, id)).toMatchObject({
      status: 'succeeded',
      captured: 2500,
      processorId,
      ledger: [
        ['late_success', 2500],
        ['processor_fee', FEE],
        ['late_success_accepted', 2500],
      ],
      events: ['payment.failed', 'payment.late_success', 'payment.succeeded'],
      breaks: [{ status: 'closed', amount: 2500 }],
    });
    expect(await balances(system, id)).toMatchObject({ suspense: 0, merchant_payable: -2500 });
    const replay = await system.client.pay({ ...DECLINED, order_id: order }, key);
    expect([replay.status, replay.text]).toEqual([402, text]);
    const other = await system.client.pay({ order_id: order });
    expect([other.status, other.json.code]).toEqual([409, 'order_already_paid']);
    const shown = (await system.client.get(`/v1/payments/${id}`)).json;
    expect(shown).toMatchObject({ status: 'succeeded', failure: null });
    const { rows } = await system.owner.query(
      'SELECT closed_by, reason_code, reason FROM breaks WHERE id = $1',
      [breakId],
    );
    expect(rows).toEqual([
      { closed_by: 'mei', reason_code: 'goods_sent', reason: 'The customer has the goods.' },
    ]);
  });

  it('twice, or by two people at once, happens once', async () => {
    const { id, breakId } = await late();
    const answers = await Promise.all([accept(breakId), accept(breakId), accept(breakId)]);
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(await accept(breakId)).toEqual({ kind: 'not_acceptable', because: 'closed' });
    expect((await moneyOf(system, id)).ledger).toHaveLength(3);
  });

  it('is refused while another payment holds the order: only giving back is left', async () => {
    const order = randomUUID();
    const { id, breakId } = await late({ order_id: order });
    const other = await system.client.pay({ order_id: order });
    expect(other.status).toBe(201);
    const before = await moneyOf(system, id);
    expect(await accept(breakId)).toEqual({ kind: 'order_taken', by: other.json.id });
    expect(await moneyOf(system, id)).toEqual(before);
  });

  it('is refused once a refund of it was ordered', async () => {
    const { id, breakId } = await late();
    await system.owner.query('UPDATE breaks SET refund_ordered_at = now() WHERE id = $1', [
      breakId,
    ]);
    expect(await accept(breakId)).toEqual({ kind: 'not_acceptable', because: 'refund_ordered' });
    expect((await moneyOf(system, id)).status).toBe('failed');
    expect(await accept(randomUUID())).toEqual({ kind: 'not_found' });
  });

  it('happens whole or not at all', async () => {
    const { id, breakId } = await late({ order_id: randomUUID() });
    const before = await moneyOf(system, id);
    const tables = ['breaks', 'payments', 'ledger_entries', 'outbox_events', 'order_slots'];
    await failEachChange(system.owner, tables, async () => {
      await expect(accept(breakId)).rejects.toThrow('fails here');
      expect(await moneyOf(system, id)).toEqual(before);
    });
    expect((await accept(breakId)).kind).toBe('accepted');
  });

  it('is not undone by the old news that comes again', async () => {
    const { id, processorId, breakId } = await late();
    await accept(breakId);
    const after = await moneyOf(system, id);
    await system.owner.query(
      `UPDATE webhook_inbox SET state = 'received', applied_at = NULL, next_try_at = now()`,
    );
    await applyAll(system);
    expect(await moneyOf(system, id)).toEqual(after);
    expect(await recordLateSuccess(system.core.deps, seenOf(id, processorId))).toEqual({
      kind: 'not_late',
    });
  });
});

function seenOf(paymentId: string, processorId: string) {
  return {
    accountId: system.account.id,
    paymentId,
    processorName: 'mock',
    processorId,
    amount: 2500,
    currency: 'myr',
    fee: { amount: FEE, currency: 'myr' },
  };
}
