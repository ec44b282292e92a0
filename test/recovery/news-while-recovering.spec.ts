import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyEvent } from '#payments/apply-event.js';
import { importSince } from '#payments/import-since.js';
import { enterRecovery } from '#payments/recovery.js';
import { backUp, databaseNow, restore } from '#testing/back-up.js';
import { type System, startSystem } from '#testing/system.js';
import { RecoveryWatch, unlessRecovering } from '../../apps/recovery-worker/src/recovery.js';

let system: System;
beforeAll(async () => {
  system = await startSystem({ env: { VISIBILITY_WINDOW_MS: '0' } });
});
afterAll(() => system.close());

describe('an event that comes before the import', () => {
  it('leaves the end of a hold to the import, which knows the key of its caller', async () => {
    const { url } = system.database;
    const { deps } = system.core;
    const held = await system.client.pay({ capture: 'manual' });
    const backup = await backUp(url);
    const since = await databaseNow(url);
    const key = randomUUID();
    const capture = () =>
      system.client.post(`/v1/payments/${held.json.id}/capture`, { amount: 900 }, key);
    const lost = await capture();
    await restore(url, backup);
    await enterRecovery(deps.db, since);

    const event = await eventOf('payment_intent.succeeded');
    expect(await applyEvent(deps, event, 'wrk_test')).toMatchObject({ kind: 'wait' });
    const payment = await system.client.get(`/v1/payments/${held.json.id}`);
    expect(payment.json.status).toBe('authorized');

    expect(await importSince(deps, randomUUID(), 'wrk_test')).toMatchObject({ opened: true });
    expect(await applyEvent(deps, event, 'wrk_test')).toMatchObject({ kind: 'applied' });
    const again = await capture();
    expect([again.status, again.json.amount_captured]).toEqual([200, 900]);
    expect(again.json.processor).toEqual(lost.json.processor);
    const captures = (await system.mockClient.book()).filter(
      ({ operation }) => operation === 'capture',
    );
    expect(captures).toHaveLength(1);
  });
});

it('a worker that starts while the database recovers looks before its first pass of what would send', async () => {
  const { deps } = system.core;
  const runOnce = vi.fn<() => Promise<'done'>>(async () => 'done');
  const pass = () =>
    unlessRecovering(new RecoveryWatch(deps.db), { name: 'sends', pauseMs: 1, runOnce }).runOnce();
  await enterRecovery(deps.db, await databaseNow(system.database.url));
  await pass();
  expect(runOnce).not.toHaveBeenCalled();
  expect(await importSince(deps, randomUUID(), 'wrk_test')).toMatchObject({ opened: true });
  await pass();
  expect(runOnce).toHaveBeenCalledOnce();
});

/** The processor's own event, as the inbox would hold it. */
async function eventOf(type: string) {
  const page = await system.core.deps.processor.listEvents(
    { kind: 'since', createdSeconds: 0, before: null },
    { timeoutMs: 5_000 },
  );
  const found = page.kind === 'page' ? page.events.find((event) => event.type === type) : undefined;
  if (!found) throw new Error(`No ${type} among the processor's events`);
  const { id: event_id, objectId: object_id, payload } = found;
  return { event_id, type, object_id, payload, waits: 0, age_ms: 0 };
}
