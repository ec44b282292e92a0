import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { readInboxLag } from '#payments/sweep-inbox.js';
import { criticals, deliver, eventOf, inboxOf, referenceOf } from './webhook-world.js';

const BACKLOG = 10_000;
const WITHIN_MS = 45_000;

let system: System;
let mine: { id: string };
beforeAll(async () => {
  system = await startSystem({ bendTime: true });
  const key = randomUUID();
  const { json } = await system.client.pay({}, key);
  mine = { ...referenceOf(system.account.id, key), id: json.processor.id };
});
afterAll(() => system.close());

/** Half of them tells of a payment of ours, half of nothing that we know; an hour old, in the order of their numbers. */
async function plant(count: number): Promise<void> {
  await system.owner.query(
    `INSERT INTO webhook_inbox (processor_name, event_id, type, object_id, payload, body_hash, state, next_try_at,
                                deliveries, first_delivered_at, last_delivered_at, stored_at)
     SELECT 'mock', 'evt_' || n, 'payment_intent.succeeded', $2, CASE WHEN n % 2 = 0 THEN $3 ELSE $4 END,
            sha256(int8send(n)), 'received', at, 1, at, at, at
       FROM generate_series(1, $1::int) AS n,
            LATERAL (SELECT payonce_now() - interval '1 hour' + n * interval '1 ms' AS at) AS t`,
    [count, mine.id, JSON.stringify(eventOf(mine)), JSON.stringify(eventOf({}))],
  );
}

it(`works off ${BACKLOG} in bounded time, the oldest first, wears nobody out, and leaves younger rows alone`, async () => {
  await plant(BACKLOG);
  await deliver(system, eventOf({}, { id: 'evt_young' }));
  const lag = await readInboxLag(system.core.deps);
  expect(lag.events).toBe(BACKLOG + 1);
  expect(lag.seconds).toBeGreaterThan(3_500);

  const [before] = await inboxOf(system, 'evt_young');
  expect(await system.sweepInbox()).toEqual({ applied: 25, ignored: 25 });
  expect(await inboxOf(system, 'evt_young')).toEqual([before]);
  const { rows } = await system.owner.query<{ event_id: string }>(
    `SELECT event_id FROM webhook_inbox WHERE state <> 'received'`,
  );
  const done = rows.map(({ event_id }) => Number(event_id.slice(4))).sort((a, b) => a - b);
  expect(done).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));

  const startMs = performance.now();
  while ((await readInboxLag(system.core.deps)).events > 0) {
    await system.sweepInbox();
    expect(performance.now() - startMs).toBeLessThan(WITHIN_MS);
  }
  const ends = await system.owner.query(
    `SELECT state, count(*)::int AS events, max(tries) AS tries, max(waits) AS waits
       FROM webhook_inbox GROUP BY state ORDER BY state`,
  );
  expect(ends.rows).toEqual([
    { state: 'applied', events: BACKLOG / 2, tries: 0, waits: 0 },
    { state: 'ignored', events: BACKLOG / 2 + 1, tries: 0, waits: 0 },
  ]);
  expect(await readInboxLag(system.core.deps)).toEqual({ events: 0, seconds: 0 });
  expect(criticals(system)).toEqual([]);
});
