import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAllLeases, sweepLeases } from '#payments/sweep-leases.js';
import { newWatch, takeOrphans } from '#payments/take-orphans.js';
import type { Core } from '#platform/core.js';
import { makePartitions } from '#postgres/daily-partitions.js';
import { expectIdempotent } from '#testing/idempotent.js';
import { type Node, startNode } from '#testing/node.js';
import { type System, startSystem } from '#testing/system.js';
import { readBooks } from '#testing/three-books.js';
import { partitionSweep } from '../../apps/recovery-worker/src/partitions.js';

const NOBODY = 12_345; // an owner without a lock

describe('a pass is idempotent, alone and beside another process:', () => {
  let system: System;
  let other: Node;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    other = await startNode(system, {});
  });
  afterAll(async () => {
    await other.close();
    await system.close();
  });

  const both = (pass: (core: Core) => Promise<unknown>) =>
    [() => pass(system.core), () => pass(other.core)] as const;

  /** A payment that was charged, and of which nobody has heard. */
  async function leaveUnknown(): Promise<string> {
    const key = randomUUID();
    const { status } = await system.client.pay({ payment_method: 'pm_test_lose_response' }, key);
    expect(status).toBe(202);
    return key;
  }

  async function books(key: string): Promise<unknown> {
    const { owner, mockClient, account } = system;
    const read = await readBooks({ owner, mockClient, accountId: account.id }, key);
    return {
      charges: read.charges.length,
      state: read.key?.state,
      status: read.payment?.status,
      ledger: read.ledger,
      events: read.events,
      saved: read.saved.map(({ status }) => status),
      attempts: read.attempts,
    };
  }

  const noted = async (key: string) => {
    const { rows } = await system.owner.query(
      `SELECT u.reason FROM unresolved u JOIN payments p ON p.id = u.payment_id WHERE p.description = $1`,
      [key],
    );
    return rows;
  };

  it('the lease sweep', async () => {
    await expectIdempotent({
      lay: async () => {
        const key = await leaveUnknown();
        await system.advance(2_000);
        return key;
      },
      passes: both(({ deps }) => sweepLeases(deps, 'wrk')),
      became: books,
    });
  });

  it('the early takeover', async () => {
    await expectIdempotent({
      lay: async () => {
        const key = await leaveUnknown();
        await system.owner.query(
          `UPDATE idempotency_keys SET owner = $1, locked_until = payonce_now() + interval '20 s'
            WHERE state = 'started'`,
          [NOBODY],
        );
        return key;
      },
      // Its grace is over for both.
      passes: both(({ deps }) =>
        takeOrphans(deps, { ...newWatch(), missing: new Map([[NOBODY, 0]]) }, 'wrk'),
      ),
      became: books,
    });
  });

  it('the daily walk', async () => {
    await expectIdempotent({
      lay: async () => {
        const description = randomUUID();
        await system.client.pay({ payment_method: 'pm_test_lose_response', description });
        await system.owner.query('DELETE FROM unresolved'); // the other walk had lost it
        await system.advance(3_700_000);
        return description;
      },
      passes: both(({ deps }) => checkAllLeases(deps)),
      became: noted,
    });
  });

  it('the keeping of partitions', async () => {
    let year = 2_000;
    await expectIdempotent({
      lay: async () => {
        const day = `${++year}-01-01`;
        await makePartitions(system.owner, 'saved_answers', [day]);
        return `saved_answers_${day.replaceAll('-', '_')}`;
      },
      passes: both((core) => partitionSweep(core, system.database.maintenanceUrl).runOnce()),
      became: async (partition) => {
        const { rows } = await system.owner.query('SELECT to_regclass($1) IS NULL AS dropped', [
          partition,
        ]);
        return rows;
      },
    });
  });
});
