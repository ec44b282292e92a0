import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { RecordingProxy } from '#testing/recording-proxy.js';
import { type System, startSystem } from '#testing/system.js';

let processor: RecordingProxy;
let system: System;
beforeAll(async () => {
  processor = await RecordingProxy.start();
  system = await startSystem({ env: { STRIPE_API_BASE: processor.url } });
  processor.target = system.mock.url;
});
afterAll(async () => {
  await system.close();
  await processor.close();
});

describe('P1: the database restored to before the claim', () => {
  it('derives the same key and the same bytes again, and adopts the charge that exists', async () => {
    const key = randomUUID();
    const order = { order_id: key, metadata: { a: '1' } };
    const backup = await backUp();
    const first = await system.client.pay(order, key);
    expect(first.status, first.text).toBe(201);
    await restore(backup);
    const forgotten = await system.client.get(`/v1/payments/${first.json.id}`);
    expect(forgotten.status).toBe(404);
    const again = await system.client.pay(order, key);
    expect(again.status, again.text).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(again.json.processor.id).toBe(first.json.processor.id);
    const [before, after] = processor.charges;
    expect(processor.charges).toHaveLength(2);
    expect(after?.headers['idempotency-key']).toBe(before?.headers['idempotency-key']);
    expect(after?.body).toBe(before?.body);
    expect(after?.headers['stripe-version']).toBe(before?.headers['stripe-version']);
    expect(before?.body, "the caller's own key goes nowhere").not.toContain(key);
    expect(await system.booked('charge')).toHaveLength(1);
  });
});

const name = () => new URL(system.database.url).pathname.slice(1);

/** A copy of the database as it is now. PostgreSQL copies only what nobody is connected to. */
async function backUp(): Promise<string> {
  const backup = `${name()}_backup`;
  await onCluster(async (cluster) => {
    await cluster.query(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS false`);
    await cluster.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
      [name()],
    );
    await expect
      .poll(async () => {
        const left = 'SELECT FROM pg_stat_activity WHERE datname = $1';
        return (await cluster.query(left, [name()])).rowCount;
      })
      .toBe(0);
    await cluster.query(`CREATE DATABASE ${backup} TEMPLATE ${name()}`);
    await cluster.query(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS true`);
  });
  return backup;
}

/** The copy takes the place of the database; the service goes on, and connects again. */
async function restore(backup: string): Promise<void> {
  await onCluster(async (cluster) => {
    await cluster.query(`DROP DATABASE ${name()} WITH (FORCE)`);
    await cluster.query(`ALTER DATABASE ${backup} RENAME TO ${name()}`);
  });
}

async function onCluster(work: (cluster: pg.Client) => Promise<void>): Promise<void> {
  const cluster = new pg.Client({ connectionString: inject('postgresUrl') });
  await cluster.connect();
  try {
    await work(cluster);
  } finally {
    await cluster.end();
  }
}
