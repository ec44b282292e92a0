import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';

const PAYMENTS = 40;

/**
 * A HOT update writes no index entry. The request path updates the key and the payment once each, so an
 * index on any column that it changes doubles the work of every payment.
 */
describe('updates on the request path', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  it('change no column that an index mentions', async () => {
    const { rows } = await system.owner.query<{ name: string; definition: string }>(`
      SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
        FROM pg_index
       WHERE indrelid IN ('idempotency_keys'::regclass, 'payments'::regclass)`);
    expect(rows.map(({ name }) => name)).toContain('idempotency_keys_by_claim');
    const changed =
      /\b(state|locked_until|lease_token|answer_day|status|settled_at|event_sequence)\b/;
    expect(rows.filter(({ definition }) => changed.test(definition))).toEqual([]);
  });

  it('are HOT, for the key and for the payment', async () => {
    const share = await hotShareOf(() => payMany(system));
    expect(share['idempotency_keys']).toBeGreaterThanOrEqual(0.9);
    expect(share['payments']).toBeGreaterThanOrEqual(0.9);
  });

  it('would not be with an index on the key’s state: measured, so that nobody adds one', async () => {
    await system.owner.query('CREATE INDEX keys_by_state ON idempotency_keys (state)');
    const share = await hotShareOf(() => payMany(system));
    await system.owner.query('DROP INDEX keys_by_state');
    expect(share['idempotency_keys']).toBe(0);
    expect(share['payments']).toBeGreaterThanOrEqual(0.9);
  });

  async function hotShareOf(work: () => Promise<void>): Promise<Record<string, number>> {
    const before = await counted();
    await work();
    const after = await untilCounted(before);
    return Object.fromEntries(
      [...after].map(([table, { updates, hot }]) => {
        const earlier = before.get(table) ?? { updates: 0, hot: 0 };
        return [table, (hot - earlier.hot) / (updates - earlier.updates)];
      }),
    );
  }

  /** A server process reports what it counted when it ends, so the application's connections are ended. */
  async function untilCounted(before: Counts): Promise<Counts> {
    await system.owner.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = 'payonce_app'`,
    );
    for (let polls = 0; polls < 100; polls++) {
      const after = await counted();
      const complete = [...after].every(
        ([table, { updates }]) => updates - (before.get(table)?.updates ?? 0) >= PAYMENTS,
      );
      if (complete) return after;
      await pause(100);
    }
    throw new Error('The statistics never counted the updates');
  }

  type Counts = Map<string, { updates: number; hot: number }>;
  async function counted(): Promise<Counts> {
    const { rows } = await system.owner.query<{ name: string; updates: number; hot: number }>(`
      SELECT relname AS name, n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot
        FROM pg_stat_all_tables
       WHERE relname IN ('idempotency_keys', 'payments') AND schemaname = 'public'`);
    return new Map(rows.map(({ name, updates, hot }) => [name, { updates, hot }]));
  }
});

async function payMany(system: System): Promise<void> {
  for (let at = 0; at < PAYMENTS; at++) {
    const { status, text } = await system.client.pay({ order_id: randomUUID() });
    expect(status, text).toBe(201);
  }
}
