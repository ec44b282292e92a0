import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchMissedEvents } from '#payments/fetch-events.js';
import { type System, startSystem } from '#testing/system.js';
import { holdRecoveryBack, inboxOf, statusOf, untilReceived } from './webhook-world.js';

const MINUTE_MS = 60_000;

let system: System;
beforeEach(async () => {
  system = await startSystem({ bendTime: true, webhooks: true });
});
afterEach(() => system.close());

const fetchNow = () => fetchMissedEvents(system.core.deps);
/** Past the age at which an event is missed, and to the next turn. */
const later = () => system.advance(2 * MINUTE_MS);
const drop = (isDropped: boolean) =>
  system.mockClient.control('PUT', 'webhooks', { drop: isDropped });

describe('events that were never delivered', () => {
  it('are fetched, and settle the payment that waits for them', async () => {
    await drop(true);
    const { json } = await system.client.pay({ payment_method: 'pm_test_lose_response' });
    await holdRecoveryBack(system);
    expect(await fetchNow()).toEqual({ read: 0, missed: 0, more: false }); // they may be on their way
    await later();
    expect(await fetchNow()).toEqual({ read: 3, missed: 3, more: false });
    expect(await inboxOf(system)).toMatchObject([
      { deliveries: 0, state: 'received' },
      { deliveries: 0, state: 'received' },
      { deliveries: 0, state: 'received' },
    ]);
    await system.sweepInbox();
    expect(await statusOf(system, json.id)).toBe('succeeded');
  });

  it('are fetched by a first reading that comes days after the first payment', async () => {
    await drop(true);
    await system.client.pay();
    await system.advance(3 * 24 * 60 * MINUTE_MS);
    expect((await fetchNow()).missed).toBe(3);
  });

  it('are those of the outage alone, and each is looked at once', async () => {
    await system.client.pay();
    await untilReceived(system, 'payment_intent.succeeded');
    await later();
    expect(await fetchNow()).toEqual({ read: 3, missed: 0, more: false });
    await drop(true);
    await system.client.pay();
    await drop(false);
    await system.client.pay();
    await untilReceived(system, 'payment_intent.succeeded', 2);
    await later();
    expect(await fetchNow()).toEqual({ read: 6, missed: 3, more: false });
    await later();
    expect(await fetchNow()).toEqual({ read: 0, missed: 0, more: false });
  });

  it('are not passed over while they are too young to be missed', async () => {
    await system.client.pay();
    await later();
    await fetchNow();
    await later();
    await drop(true);
    await system.client.pay();
    expect((await fetchNow()).missed).toBe(0);
    await later();
    expect((await fetchNow()).missed).toBe(3);
  });

  it('that are delivered after all are one event, whose deliveries begin then', async () => {
    await drop(true);
    await system.client.pay();
    await later();
    await fetchNow();
    await system.sweepInbox();
    const [fetched] = await inboxOf(system);
    await system.mockClient.control('POST', 'webhooks/redeliver', { event_id: fetched?.event_id });
    await expect
      .poll(async () => (await inboxOf(system, fetched?.event_id))[0])
      .toMatchObject({ deliveries: 1, is_ordered: true, state: 'applied' });
  });

  it('are asked for once a minute, whoever asks', async () => {
    const turns = await Promise.all([fetchNow(), fetchNow(), fetchNow()]);
    const { rows } = await system.owner.query(
      'SELECT processor_name, event_id FROM webhook_cursors',
    );
    expect(rows).toEqual([{ processor_name: 'mock', event_id: null }]);
    expect(turns).toEqual(turns.map(() => ({ read: 0, missed: 0, more: false })));
    await drop(true);
    await system.client.pay();
    await later();
    expect(
      (await Promise.all([fetchNow(), fetchNow()]))
        .map(({ missed }) => missed)
        .sort((a, b) => a - b),
    ).toEqual([0, 3]);
  });

  it('of a long outage come in bounded passes, and none is passed over', async () => {
    await system.client.pay();
    await later();
    await fetchNow();
    await drop(true);
    for (let batch = 0; batch < 9; batch++) {
      await Promise.all(
        Array.from({ length: 40 }, () => system.mockClient.charge('pm_1', { key: randomUUID() })),
      );
    }
    await later();
    expect(await fetchNow()).toEqual({ read: 1_000, missed: 1_000, more: true });
    expect(await fetchNow()).toEqual({ read: 80, missed: 80, more: false });
  });

  it('are found although the processor has forgotten where we stood', async () => {
    await system.client.pay();
    await later();
    await fetchNow();
    await system.owner.query(`UPDATE webhook_cursors SET event_id = 'evt_forgotten'`);
    await drop(true);
    await system.client.pay();
    await later();
    expect((await fetchNow()).missed).toBe(3);
    expect(system.log.map(({ event }) => event)).toContain('event_cursor_lost');
  });

  it('wait while the processor cannot be asked: the cursor stays', async () => {
    await drop(true);
    await system.client.pay();
    await later();
    await system.mockClient.faults({ fault: 'down', times: 1 });
    expect(await fetchNow()).toEqual({ read: 0, missed: 0, more: false });
    expect(system.log.map(({ event }) => event)).toContain('events_not_listed');
    await later();
    expect((await fetchNow()).missed).toBe(3);
  });
});
