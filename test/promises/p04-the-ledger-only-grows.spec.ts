import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusalOf } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';

describe('P4: the ledger only grows, always balances, and books each kind once', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  it('books a charge and its fee with every column, in the transaction of the payment', async () => {
    const paid = await system.client.pay({ amount: 12_345, currency: 'myr' });
    expect(paid.status, paid.text).toBe(201);
    const entries = await entriesOf(paid.json.id);
    const feeLine = (await system.booked('fee')).at(-1);
    const shared = {
      account_id: system.account.id,
      source_id: paid.json.id,
      currency: 'myr',
      effective_at: paid.json.settled_at,
      recorded_at: expect.stringMatching(/^2\d{3}-/),
      recorded_xid: expect.stringMatching(/^\d+$/),
      in_one_transaction: true,
    };
    expect(entries).toEqual([
      {
        ...shared,
        entry_kind: 'charge',
        debit_account: 'processor_clearing',
        credit_account: 'merchant_payable',
        amount: '12345',
      },
      {
        ...shared,
        entry_kind: 'processor_fee',
        debit_account: 'processor_fees',
        credit_account: 'processor_clearing',
        amount: String(Math.abs(feeLine?.amount ?? 0)),
      },
    ]);
  });

  it('balances as a whole, for each payment and in each currency, whatever happened', async () => {
    for (const method of [
      'pm_123',
      'pm_card_chargeDeclined',
      'pm_test_lose_response',
      'pm_test_busy',
    ]) {
      const order = randomUUID();
      const { json } = await system.client.pay({ payment_method: method, order_id: order }, order);
      if (json.status === 'pending') await system.settle(json.id);
    }
    await system.client.pay({ currency: 'jpy', amount: 700 });
    const { rows } = await system.owner.query(`
      WITH leg AS (
        SELECT payment_id, currency, debit_account AS name, amount FROM ledger_entries
        UNION ALL
        SELECT payment_id, currency, credit_account, -amount FROM ledger_entries
      )
      SELECT payment_id, currency, sum(amount)::text AS sum FROM leg GROUP BY GROUPING SETS
        ((payment_id, currency), (currency)) HAVING sum(amount) <> 0`);
    expect(rows).toEqual([]);
    const { rows: owed } = await system.owner.query(`
      SELECT e.currency, sum(e.amount)::text AS credited,
             (SELECT sum(amount_captured)::text FROM payments p WHERE p.currency = e.currency) AS captured
        FROM ledger_entries e WHERE e.credit_account = 'merchant_payable' GROUP BY e.currency`);
    expect(new Set(owed.map(({ currency }) => currency))).toEqual(new Set(['jpy', 'myr']));
    for (const { credited, captured } of owed) expect(credited).toBe(captured);
  });

  it('has a charge for each payment that succeeded, of its amount, and for no other', async () => {
    const { rows } = await system.owner.query(`
      SELECT p.id, p.status, p.amount_captured, count(e.id)::int AS charges, sum(e.amount)::text AS charged
        FROM payments p
        LEFT JOIN ledger_entries e
          ON e.account_id = p.account_id AND e.payment_id = p.id AND e.entry_kind = 'charge'
       GROUP BY p.account_id, p.id`);
    expect(new Set(rows.map(({ status }) => status))).toContain('failed');
    for (const { status, amount_captured, charges, charged } of rows) {
      const expected = status === 'succeeded' ? [1, amount_captured] : [0, null];
      expect([charges, charged]).toEqual(expected);
    }
  });

  it('refuses the second row of a kind by its constraint alone, whatever code believes', async () => {
    const paid = await system.client.pay();
    const booked = await system.owner.query<{ kind: string }>(
      'SELECT entry_kind AS kind FROM ledger_entries WHERE payment_id = $1',
      [paid.json.id],
    );
    expect(booked.rows.length).toBeGreaterThan(1);
    for (const { kind } of booked.rows) {
      const again = await refusalOf(
        system.owner,
        `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account,
                                     credit_account, amount, currency, effective_at)
         VALUES ($1, $2, $2, $3, 'a', 'b', 1, 'myr', now())`,
        [system.account.id, paid.json.id, kind],
      );
      expect(again).toMatchObject({ constraint: 'ledger_entries_once' });
      const elsewhere = await refusalOf(
        system.owner,
        `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account,
                                     credit_account, amount, currency, effective_at)
         VALUES ($1, $2, gen_random_uuid(), $3, 'a', 'b', 1, 'myr', now())`,
        [system.account.id, paid.json.id, kind],
      );
      expect(elsewhere).toMatchObject({ constraint: 'ledger_entries_charge_is_its_own_source' });
    }
  });

  it('booked once by a record step that runs twice with the guards taken away', async () => {
    const paid = await system.client.pay();
    // As a bug would have it: the key counts as started again, the payment as pending.
    await system.owner.query(`SET session_replication_role = replica`);
    await system.owner.query('ALTER TABLE payments DISABLE TRIGGER payments_only_forward');
    await system.owner.query(
      `UPDATE payments SET status = 'pending', settled_at = NULL WHERE id = $1`,
      [paid.json.id],
    );
    await system.owner.query(
      `DELETE FROM saved_answers USING idempotency_keys k
        WHERE saved_answers.key_hash = k.key_hash AND k.payment_id = $1`,
      [paid.json.id],
    );
    await system.owner.query(
      `UPDATE idempotency_keys SET state = 'started', answer_day = NULL, locked_until = '2020-01-01'
        WHERE payment_id = $1`,
      [paid.json.id],
    );
    await system.owner.query(
      `UPDATE attempts SET outcome = NULL, detail = NULL, closed_at = NULL
        WHERE operation_id = (SELECT operation_id FROM idempotency_keys WHERE payment_id = $1)`,
      [paid.json.id],
    );
    await system.owner.query(
      `INSERT INTO unresolved SELECT account_id, key_hash, claim_id, payment_id, 'planted', 0, 0, '2020-01-01', now()
         FROM idempotency_keys WHERE payment_id = $1`,
      [paid.json.id],
    );
    await system.owner.query('ALTER TABLE payments ENABLE ALWAYS TRIGGER payments_only_forward');
    await system.owner.query('RESET session_replication_role');
    const before = await entriesOf(paid.json.id);
    await system.sweep();
    expect(await entriesOf(paid.json.id)).toEqual(before);
    const refused = system.log.filter(
      ({ event, payment_id }) => event === 'record_refused' && payment_id === paid.json.id,
    );
    expect(refused).toHaveLength(1);
    expect(String(refused[0]?.['error'])).toContain('ledger_entries_once');
  });

  async function entriesOf(paymentId: string) {
    const { rows } = await system.owner.query(
      `SELECT e.account_id, e.source_id, e.entry_kind, e.debit_account, e.credit_account, e.amount, e.currency,
              to_char(e.effective_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS effective_at,
              e.recorded_at::text, e.recorded_xid::text,
              e.recorded_xid::xid = p.xmin AS in_one_transaction
         FROM ledger_entries e
         JOIN payments p ON p.account_id = e.account_id AND p.id = e.payment_id
        WHERE e.payment_id = $1
        ORDER BY e.entry_kind`,
      [paymentId],
    );
    return rows;
  }
});
