import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { disagreements, readBooks } from '#testing/three-books.js';

const LEASE_MS = 30_000;

/** Every change of the record step; a decline alone gives the order's slot back. */
const CHANGES = [
  { table: 'idempotency_keys', change: 'UPDATE', method: 'pm_123' },
  { table: 'payments', change: 'UPDATE', method: 'pm_123' },
  { table: 'attempts', change: 'UPDATE', method: 'pm_123' },
  { table: 'ledger_entries', change: 'INSERT', method: 'pm_123' },
  { table: 'outbox_events', change: 'INSERT', method: 'pm_123' },
  { table: 'saved_answers', change: 'INSERT', method: 'pm_123' },
  { table: 'order_slots', change: 'DELETE', method: 'pm_card_chargeDeclined' },
] as const;

describe('a record step that fails within its statement', () => {
  let system: System;
  beforeAll(async () => {
    const env = { LEASE_MS: String(LEASE_MS), PROCESSOR_TIMEOUT_MS: '1000' };
    system = await startSystem({ env, bendTime: true });
    await system.owner.query(`
      CREATE FUNCTION fail_here() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'the test fails here'; END $$`);
  });
  afterAll(() => system?.close());

  let remove = '';
  afterEach(() => system.owner.query(remove));

  const read = (key: string) =>
    readBooks(
      { owner: system.owner, mockClient: system.mockClient, accountId: system.account.id },
      key,
    );
  const slots = async (key: string) =>
    (await system.owner.query('SELECT FROM order_slots WHERE order_id = $1', [key])).rowCount;

  async function failAt(trigger: string, table: string): Promise<void> {
    await system.owner.query(`CREATE ${trigger} FOR EACH ROW EXECUTE FUNCTION fail_here()`);
    remove = `DROP TRIGGER fail_here ON ${table}`;
  }

  it.each(CHANGES)(
    'at $table leaves nothing of it, answers 202, and recovery finishes later',
    async ({ table, change, method }) => {
      const key = randomUUID();
      const body = { order_id: key, payment_method: method };
      await failAt(`TRIGGER fail_here BEFORE ${change} ON ${table}`, table);
      const first = await system.client.pay(body, key);
      await leavesNothing(key, first.status);

      await system.owner.query(remove);
      remove = 'SELECT';
      await system.advance(LEASE_MS + 7_000);
      const settled = await system.settle(first.json.id);
      const last = await system.client.pay(body, key);
      if (method === 'pm_123') {
        expect(disagreements(await read(key), [first, last])).toEqual([]);
        expect(await slots(key)).toBe(1);
      } else {
        expect(settled.json.status).toBe('failed');
        expect(last.status, last.text).toBe(402);
        expect(await slots(key)).toBe(0);
      }
    },
  );

  it('at its commit, behind the CommandComplete, is not taken for recorded', async () => {
    const key = randomUUID();
    await failAt(
      'CONSTRAINT TRIGGER fail_here AFTER INSERT ON ledger_entries DEFERRABLE INITIALLY DEFERRED',
      'ledger_entries',
    );
    const first = await system.client.pay({ order_id: key }, key);
    await leavesNothing(key, first.status);
    // Recovery runs into it as well, and comes back.
    await system.advance(LEASE_MS + 7_000);
    await system.sweep();
    expect((await read(key)).payment?.status).toBe('pending');
    await system.owner.query(remove);
    remove = 'SELECT';
    await system.advance(LEASE_MS);
    await system.settle(first.json.id);
    const last = await system.client.pay({ order_id: key }, key);
    expect(disagreements(await read(key), [first, last])).toEqual([]);
  });

  async function leavesNothing(key: string, status: number): Promise<void> {
    expect(status).toBe(202);
    const books = await read(key);
    expect(books).toMatchObject({
      key: { state: 'started' },
      payment: { status: 'pending', processor_id: null, amount_captured: '0', settled_at: null },
      ledger: [],
      events: [],
      saved: [],
      attempts: [{ attempt_no: 1, outcome: null }],
    });
    expect(await slots(key)).toBe(1);
    const alarm = system.log.findLast(({ event }) => event === 'record_refused');
    expect(alarm).toMatchObject({ level: 'critical', payment_id: books.payment?.id });
  }
});
