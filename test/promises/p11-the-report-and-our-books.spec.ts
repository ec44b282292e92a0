import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import { recordLateSuccess } from '#payments/record-late-success.js';
import { ReportWorld, dayAfter, openOnes } from '../reconciliation/report-world.js';

/** What the report has and our books lack is repaired as a lost webhook would have done it, and nothing else is. */
describe('a reconciliation repairs', () => {
  let world: ReportWorld;
  beforeAll(async () => {
    world = await ReportWorld.open();
  });
  afterAll(() => world?.close());

  it('a payment that is pending here and was charged there', async () => {
    const { client } = world.system;
    const key = randomUUID();
    const body = { payment_method: 'pm_test_lose_response' };
    const { status, json } = await client.pay(body, key);
    expect([status, json.status]).toEqual([202, 'pending']);
    const first = await world.reconcile();
    expect([first.repaired, first.breaks]).toEqual([1, []]);
    const retry = await client.pay(body, key);
    expect([retry.status, retry.json.status]).toEqual([201, 'succeeded']);
    expect(await world.reconcile()).toMatchObject({ repaired: 0, breaks: [] });
    expect(await world.system.booked('charge')).toHaveLength(1);
  });

  it('a refund whose answer was lost', async () => {
    const { client, mockClient } = world.system;
    const { id } = (await client.pay()).json;
    await mockClient.faults({ fault: 'lose_response', times: 1 });
    const refund = await client.post(`/v1/payments/${id}/refunds`, { amount: 700 });
    expect(refund.status).toBe(202);
    expect(await world.reconcile()).toMatchObject({ repaired: 1, breaks: [] });
    const { json } = await client.get(`/v1/payments/${id}`);
    expect(json.amount_refunded).toBe(700);
  });

  it('a dispute of which no news came, and its fee', async () => {
    const { client, mockClient, owner } = world.system;
    const { id, processor } = (await client.pay()).json;
    const about = { payment_intent: processor.id };
    await mockClient.control('POST', 'events', { kind: 'dispute_opened', ...about });
    expect(await world.reconcile()).toMatchObject({ repaired: 2, breaks: [] });
    const { json } = await client.get(`/v1/payments/${id}`);
    expect(json.amount_disputed).toBe(2500);
    await mockClient.control('POST', 'events', { kind: 'dispute_won', ...about });
    expect(await world.reconcile()).toMatchObject({ repaired: 1, breaks: [] });
    const booked = await owner.query(
      `SELECT entry_kind, amount FROM ledger_entries WHERE payment_id = $1 AND entry_kind LIKE 'dispute%'
        ORDER BY entry_kind`,
      [id],
    );
    expect(booked.rows).toEqual([
      { entry_kind: 'dispute', amount: '2500' },
      { entry_kind: 'dispute_fee', amount: '1500' },
      { entry_kind: 'dispute_won', amount: '2500' },
    ]);
  });

  it('money that came after its payment had failed: into suspense, where a break of its own tells of it', async () => {
    const { client, mockClient } = world.system;
    const { payment } = (await client.pay({ payment_method: 'pm_card_chargeDeclined' })).json;
    const about = { payment_intent: payment.processor.id };
    await mockClient.control('POST', 'events', { kind: 'late_success', ...about });
    expect(await world.reconcile()).toMatchObject({ repaired: 1, breaks: [] });
    expect(await lateOnes()).toMatchObject([{ reference: payment.processor.id }]);
  });

  async function lateOnes(): Promise<{ kind: string; reference: string }[]> {
    const operator = await world.system.newOperator();
    const { json } = await operator.get('/v1/operations/breaks?status=open');
    return json.data.filter(({ kind }: { kind: string }) => kind === 'late_success');
  }

  it('a second charge and its fee, which both are booked beside those of the charge that paid', async () => {
    const { id, second } = await chargedTwice();
    expect(await world.reconcile()).toMatchObject({ repaired: 1, breaks: [] });
    expect(await feesOf(id)).toEqual(['late_success_fee 103 of its break', 'processor_fee 103']);
    expect((await lateOnes()).map(({ reference }) => reference)).toContain(second);
  });

  it('the fee of a second charge that only the report tells', async () => {
    const { id, second } = await chargedTwice();
    await recordLateSuccess(world.system.core.deps, {
      accountId: world.system.account.id,
      paymentId: id,
      processorName: 'mock',
      processorId: second,
      amount: 2500,
      currency: 'myr',
      fee: null,
    });
    expect(await feesOf(id)).toEqual(['processor_fee 103']);
    expect(await world.reconcile()).toMatchObject({ repaired: 1, breaks: [] });
    expect(await feesOf(id)).toEqual(['late_success_fee 103 of its break', 'processor_fee 103']);
    expect(await world.reconcile()).toMatchObject({ repaired: 0, breaks: [] });
  });

  async function chargedTwice(): Promise<{ id: string; second: string }> {
    const { client, account, mockClient } = world.system;
    const key = randomUUID();
    const { id } = (await client.pay({}, key)).json;
    const { json } = await mockClient.charge('pm_card_visa', {
      intent: deriveProcessorKey(account.id, 'charge', key),
      'metadata[payonce_account]': account.id,
    });
    return { id, second: json.id };
  }

  async function feesOf(payment: string): Promise<string[]> {
    const { rows } = await world.system.owner.query(
      `SELECT concat_ws(' ', e.entry_kind, e.amount, CASE WHEN b.id IS NOT NULL THEN 'of its break' END) AS fee
         FROM ledger_entries e
         LEFT JOIN breaks b ON b.id = e.source_id
        WHERE e.payment_id = $1 AND e.debit_account = 'processor_fees'
        ORDER BY fee`,
      [payment],
    );
    return rows.map(({ fee }) => fee);
  }

  it('nothing in a dry run, which tells what it would find', async () => {
    const { client, owner } = world.system;
    const { json } = await client.pay({ payment_method: 'pm_test_lose_response' });
    const tables = [
      'report_imports',
      'report_lines',
      'report_findings',
      'breaks',
      'ledger_entries',
    ];
    const counts = async () =>
      (
        await owner.query(
          `SELECT ${tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`).join(', ')}`,
        )
      ).rows[0];
    const before = await counts();
    const dry = await world.reconcile({ isDryRun: true });
    expect([dry.repaired, dry.breaks.length]).toEqual([0, 1]);
    expect(dry.breaks[0]).toMatchObject({
      kind: 'status',
      ours: { status: 'pending' },
      theirs: { amount: '2500', currency: 'myr' },
    });
    expect(await counts()).toEqual(before);
    expect(
      (await owner.query('SELECT status FROM payments WHERE id = $1', [json.id])).rows,
    ).toEqual([{ status: 'pending' }]);
    expect(await world.reconcile()).toMatchObject({ repaired: 1, breaks: [] });
  });
});

describe("around a day's edge", () => {
  it('a payment that was charged before midnight and recorded after it is no difference of either day', async () => {
    const world = await ReportWorld.open({ hour: '23:59:30' });
    const { system } = world;
    const { json } = await system.client.pay({ payment_method: 'pm_test_lose_response' });
    await system.advance(60_000);
    expect((await system.settle(json.id)).json.status).toBe('succeeded');
    await system.client.pay();
    const nextDate = dayAfter(world.date);
    // The day after first: what is not in its report may stand in one that is not here yet.
    expect(openOnes(await world.reconcile({ date: nextDate }))).toEqual([]);
    expect(openOnes(await world.reconcile())).toEqual([]);
    expect(openOnes(await world.reconcile({ date: nextDate }))).toEqual([]);
    await world.close();
  });
});
