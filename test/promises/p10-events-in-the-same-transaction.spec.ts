import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';

describe('P10: an event is written in the transaction of what it tells of', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  it('a payment and its event carry one transaction’s number, and the event tells the payment', async () => {
    for (const method of ['pm_123', 'pm_card_chargeDeclined']) {
      const { json } = await system.client.pay({ payment_method: method, order_id: randomUUID() });
      const id = json.id ?? json.payment_id;
      const { rows } = await system.owner.query(
        `SELECT e.sequence, e.type, e.payload, p.status, e.xmin = p.xmin AS together
           FROM outbox_events e JOIN payments p ON p.account_id = e.account_id AND p.id = e.payment_id
          WHERE p.id = $1`,
        [id],
      );
      const { status } = rows[0];
      expect(rows).toMatchObject([{ sequence: 1, type: `payment.${status}`, together: true }]);
      expect(rows[0].payload).toEqual((await system.client.get(`/v1/payments/${id}`)).json);
    }
  });

  it('an event that cannot be written undoes the whole record step, and recovery makes up for it', async () => {
    await system.owner.query(`
      CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'no event today'; END $$;
      CREATE TRIGGER test_refuse BEFORE INSERT ON outbox_events
        FOR EACH ROW EXECUTE FUNCTION test_refuse()`);
    const key = randomUUID();
    const first = await system.client.pay({ order_id: key }, key);
    expect(first.status, first.text).toBe(202);
    expect(await tracesOf(first.json.id)).toEqual({
      status: 'pending',
      state: 'started',
      attempts_closed: 0,
      entries: 0,
      events: 0,
      answers: 0,
    });
    expect(system.log.map(({ event }) => event)).toContain('record_refused');
    await system.owner.query('DROP TRIGGER test_refuse ON outbox_events');
    expect((await system.settle(first.json.id)).json.status).toBe('succeeded');
    expect(await tracesOf(first.json.id)).toMatchObject({ entries: 2, events: 1, answers: 1 });
    const booked = await system.booked('charge');
    expect(booked.filter(({ metadata }) => metadata['payonce_account'])).toHaveLength(2);
  });

  it('events of a payment are numbered 1, 2, 3 … and the payment knows the last', async () => {
    await system.client.pay();
    const { rows } = await system.owner.query(`
      SELECT p.id, p.event_sequence, count(e.id)::int AS events, max(e.sequence) AS last
        FROM payments p
        LEFT JOIN outbox_events e ON e.account_id = p.account_id AND e.payment_id = p.id
       GROUP BY p.account_id, p.id`);
    expect(rows.length).toBeGreaterThan(3);
    for (const { event_sequence, events, last } of rows) {
      expect([events, last]).toEqual([event_sequence, event_sequence]);
    }
  });

  async function tracesOf(paymentId: string) {
    const { rows } = await system.owner.query(
      `SELECT p.status, k.state,
              (SELECT count(*)::int FROM attempts WHERE operation_id = k.operation_id AND closed_at IS NOT NULL)
                AS attempts_closed,
              (SELECT count(*)::int FROM ledger_entries WHERE payment_id = p.id) AS entries,
              (SELECT count(*)::int FROM outbox_events WHERE payment_id = p.id) AS events,
              (SELECT count(*)::int FROM saved_answers WHERE key_hash = k.key_hash) AS answers
         FROM payments p JOIN idempotency_keys k ON k.payment_id = p.id
        WHERE p.id = $1`,
      [paymentId],
    );
    return rows[0];
  }
});
