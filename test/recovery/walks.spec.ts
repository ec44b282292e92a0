import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAllLeases, sweepLeases } from '#payments/sweep-leases.js';
import { type System, freezeTime, startSystem } from '#testing/system.js';

const ABANDON = `
  UPDATE idempotency_keys SET state = 'started', answer_day = NULL, locked_until = payonce_now()
   WHERE payment_id = $1`;
const PUT_BACK = `UPDATE payments SET status = 'pending' WHERE id = $1`;

describe('the walks along the claims', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    await freezeTime(system.owner);
  });
  afterAll(() => system.close());

  const marks = async () => {
    const { rows } = await system.owner.query('SELECT name, mark FROM sweep_marks ORDER BY name');
    return Object.fromEntries(rows.map(({ name, mark }) => [name, mark]));
  };
  const noted = async () => (await system.owner.query('SELECT payment_id FROM unresolved')).rows;

  it('pass no claim whose lease, statement and margin are not over', async () => {
    const { json } = await system.client.pay();
    await system.advance(35_000);
    await system.sweep();
    expect((await marks())['leases']).toMatch(/^0{8}/);
    await system.advance(2_000);
    await system.sweep();
    const { rows } = await system.owner.query(
      'SELECT claim_id FROM idempotency_keys WHERE payment_id = $1',
      [json.id],
    );
    expect((await marks())['leases']).toBe(rows[0].claim_id);
  });

  it('note a claim whose owner died, and the same pass finishes it', async () => {
    const { json } = await system.client.pay();
    await abandon(json.id);
    await system.advance(37_000);
    const pass = await sweepLeases(system.core.deps, 'wrk_walks');
    expect(pass).toMatchObject({ found: 1, finished: { 201: 1 } });
    expect((await system.client.get(`/v1/payments/${json.id}`)).json.status).toBe('succeeded');
    expect(await noted()).toEqual([]);
  });

  it('note once a day, an hour behind, what a clock set back had put behind the first', async () => {
    const { json } = await system.client.pay();
    await system.advance(60_000);
    await system.sweep(); // the mark has passed it
    await abandon(json.id);
    await system.sweep();
    expect(await noted()).toEqual([]);
    await checkAllLeases(system.core.deps);
    expect(await noted()).toEqual([]); // not yet an hour behind
    await system.advance(3_700_000);
    expect(await checkAllLeases(system.core.deps)).toMatchObject({ found: 1 });
    expect(await noted()).toEqual([{ payment_id: json.id }]);
    await system.advance(1_000);
    expect((await system.settle(json.id)).json.status).toBe('succeeded');
  });

  it('start over after a day, and not before', async () => {
    const startedAt = async () =>
      (await system.owner.query(`SELECT started_at FROM sweep_marks WHERE name = 'leases_daily'`))
        .rows[0].started_at;
    const before = await startedAt();
    await system.advance(80_000_000);
    await checkAllLeases(system.core.deps);
    expect(await startedAt()).toEqual(before);
    await system.advance(6_400_000);
    await checkAllLeases(system.core.deps);
    expect(await startedAt()).not.toEqual(before);
    expect((await marks())['leases_daily']).not.toMatch(/^0{8}/); // and walked on from the beginning
  });

  it('drop a note whose record step overtook them', async () => {
    const { json } = await system.client.pay();
    await system.owner.query(
      `INSERT INTO unresolved (account_id, key_hash, claim_id, payment_id, reason, next_try_at, since)
       SELECT account_id, key_hash, claim_id, payment_id, 'its lease ended', payonce_now(), payonce_now()
         FROM idempotency_keys WHERE payment_id = $1`,
      [json.id],
    );
    await system.sweep();
    expect(await noted()).toEqual([]);
  });

  /** As if its owner had died before recording: planted with the guards off, since no code path leads there. */
  async function abandon(paymentId: string): Promise<void> {
    await system.owner.query('ALTER TABLE payments DISABLE TRIGGER payments_only_forward');
    await system.owner.query(PUT_BACK, [paymentId]);
    await system.owner.query('ALTER TABLE payments ENABLE ALWAYS TRIGGER payments_only_forward');
    await system.owner.query(ABANDON, [paymentId]);
    await system.owner.query('UPDATE attempts SET outcome = NULL, closed_at = NULL');
    await system.owner.query('ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_no_change');
    await system.owner.query('DELETE FROM ledger_entries WHERE payment_id = $1', [paymentId]);
    await system.owner.query('DELETE FROM outbox_events WHERE payment_id = $1', [paymentId]);
    await system.owner.query('DELETE FROM saved_answers');
    await system.owner.query('UPDATE payments SET event_sequence = 0 WHERE id = $1', [paymentId]);
  }
});
