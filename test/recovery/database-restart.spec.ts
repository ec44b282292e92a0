import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '#embedded/postgres-server.js';
import { slowestRunMs } from '#payments/lease-arithmetic.js';
import { FIND_LIVE_OWNERS } from '#payments/orphans.sql.js';
import { newWatch, takeOrphans } from '#payments/take-orphans.js';
import { createTestDatabase } from '#testing/database.js';
import { type Node, startNode } from '#testing/node.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';

/** The processor's answer comes when the database is back, and long before the deadline of its call. */
const PROCESSOR_TIMEOUT_MS = 30_000;
const ENV = {
  PROCESSOR_TIMEOUT_MS: String(PROCESSOR_TIMEOUT_MS),
  LEASE_MS: String(slowestRunMs(PROCESSOR_TIMEOUT_MS) + 1),
};

describe('a restart of the database', () => {
  let folder: string;
  let server: PostgresServer;
  let system: System;
  let other: Node;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payonce-restart-'));
    chmodSync(folder, 0o711); // the server's own user passes through
    server = await startServer();
    system = await startSystem({ database: await createTestDatabase(server.ownerUrl), env: ENV });
    other = await startNode(system, {}, ENV);
  });
  afterAll(async () => {
    await other?.close();
    await system?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const startServer = (port = 0) =>
    startPostgres({ folder: join(folder, 'postgres'), port, unsafeFast: true });
  const living = async (): Promise<number[]> =>
    sorted((await system.core.deps.db.run(FIND_LIVE_OWNERS, [])).map(({ owner }) => owner));

  it('drops the locks of all that live: nobody is taken over, and each comes back as who it was', async () => {
    const { deps } = system.core;
    const watch = newWatch();
    const slow = [system.client, other.client].map((client) =>
      client.pay({ payment_method: 'pm_test_slow_6000' }),
    );
    const held = 'SELECT DISTINCT owner FROM idempotency_keys';
    await until(async () => (await system.owner.query(held)).rowCount === 2);
    expect((await takeOrphans(deps, watch, 'wrk_before')).taken).toBe(0);
    const before = await living();
    expect(before).toHaveLength(2);

    await server.stop();
    server = await startServer(server.port);
    let taken = 0;
    await until(async () => {
      const pass = await takeOrphans(deps, watch, 'wrk_after').catch(() => null); // a dead connection
      taken += pass?.taken ?? 0;
      return pass !== null && (await living()).length === 2;
    });
    expect(taken).toBe(0);
    expect(await living()).toEqual(before);
    expect(await takeOrphans(deps, watch, 'wrk_later')).toEqual({ taken: 0, more: false });
    expect(watch.missing.size).toBe(0);

    const lost = system.log.filter(({ event }) => event === 'instance_lost');
    expect(sorted(lost.map(({ instance }) => instance as number))).toEqual(before);
    for (const answer of await Promise.all(slow)) expect(answer.status, answer.text).toBe(201);
    expect(await system.booked('charge')).toHaveLength(2);
  });
});

function sorted(ids: number[]): number[] {
  return ids.toSorted((one, other) => one - other);
}
