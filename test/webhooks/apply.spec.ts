import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TAKE_DUE_EVENTS } from '#events/inbox.sql.js';
import { readBooks } from '#testing/three-books.js';
import { type System, startSystem } from '#testing/system.js';
import {
  applyAll,
  criticals,
  deliver,
  eventOf,
  holdRecoveryBack,
  inboxOf,
  referenceOf,
  statusOf,
  untilReceived,
} from './webhook-world.js';

const SUCCEEDED = 'payment_intent.succeeded';

let system: System;
beforeEach(async () => {
  system = await startSystem({ bendTime: true, webhooks: true });
});
afterEach(() => system.close());

/** A payment that our side knows nothing of, and that the processor has charged. */
async function payUnknown(key: string, method = 'pm_test_lose_response'): Promise<string> {
  const { status, json } = await system.client.pay({ payment_method: method }, key);
  expect(status).toBe(202);
  await holdRecoveryBack(system);
  return json.id;
}

const rowsOf = async (type: string) => (await inboxOf(system)).filter((row) => row.type === type);

describe('news of a pending payment', () => {
  it('settles one that nobody else would, and the retry gets the saved answer', async () => {
    const key = randomUUID();
    const id = await payUnknown(key);
    await untilReceived(system, SUCCEEDED);
    const asked = vi.spyOn(system.core.deps.processor, 'lookUpCharge');
    await system.sweepInbox();
    expect(await statusOf(system, id)).toBe('succeeded');
    const [charge] = await system.booked('charge'); // by its id: a search may lag behind the event
    expect(asked.mock.calls.map(([, processorId]) => processorId)).toEqual([charge?.id]);
    const body = { payment_method: 'pm_test_lose_response' };
    const retry = await system.client.pay(body, key);
    expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    const books = await readBooks({ ...system, accountId: system.account.id }, key);
    expect(books.ledger.map(({ entry_kind }) => entry_kind)).toEqual(['charge', 'processor_fee']);
    expect(books.events).toHaveLength(1);
    expect(books.attempts.at(-1)).toMatchObject({ action: 'look_up', actor: 'worker' });
    expect(await rowsOf(SUCCEEDED)).toMatchObject([
      { state: 'applied', reason: 'as recorded', payment_id: id, tries: 0 },
    ]);
    expect(await system.booked('charge')).toHaveLength(1);
  });

  it('twice under two ids, ten times each, and in any order settles it once', async () => {
    await system.mockClient.control('PUT', 'webhooks', {
      copies: 10,
      two_ids: true,
      order: 'shuffled',
      seed: 7,
    });
    const key = randomUUID();
    const id = await payUnknown(key);
    await untilReceived(system, SUCCEEDED, 2);
    await untilReceived(system, 'charge.succeeded', 2);
    await Promise.all([system.sweepInbox(), system.sweepInbox()]);
    await applyAll(system);
    expect(await statusOf(system, id)).toBe('succeeded');
    const { ledger, events } = await readBooks({ ...system, accountId: system.account.id }, key);
    expect([ledger.length, events.length]).toEqual([2, 1]);
    const rows = await inboxOf(system);
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => 'applied'));
    expect(criticals(system)).toEqual([]);
  });

  it('that says no settles it too', async () => {
    const { json } = await system.client.pay({ payment_method: 'pm_card_chargeDeclined' });
    expect(json.code).toBe('card_declined');
    await untilReceived(system, 'payment_intent.payment_failed');
    await applyAll(system);
    expect(await rowsOf('payment_intent.payment_failed')).toMatchObject([
      { reason: 'as recorded' },
    ]);
    expect(criticals(system)).toEqual([]);
  });

  it('before our own answer waits for it, and counts no try', async () => {
    await system.mockClient.control('PUT', 'webhooks', { before_answer: true });
    const { processor } = system.core.deps;
    const charge = processor.charge.bind(processor);
    let hearAnswer = () => {};
    const held = new Promise<void>((resolve) => (hearAnswer = resolve));
    vi.spyOn(processor, 'charge').mockImplementation(async (...asked) => {
      const outcome = await charge(...asked);
      await held;
      return outcome;
    });
    const paying = system.client.pay();
    await untilReceived(system, SUCCEEDED);
    const early = await system.sweepInbox();
    hearAnswer();
    const paid = await paying;
    expect(paid.status).toBe(201);
    expect(early).toMatchObject({ wait: 1 });
    expect(await rowsOf(SUCCEEDED)).toMatchObject([{ state: 'received', tries: 0, waits: 1 }]);
    await applyAll(system);
    expect(await rowsOf(SUCCEEDED)).toMatchObject([{ state: 'applied', payment_id: paid.json.id }]);
  });

  it('before its row is there waits for it, for hours if need be, then is held and said aloud', async () => {
    const key = randomUUID();
    const event = eventOf(referenceOf(system.account.id, key));
    await deliver(system, event);
    expect(await system.sweepInbox()).toEqual({ wait: 1 });
    expect(await system.sweepInbox()).toEqual({}); // not due yet
    for (let pass = 0; pass < 13; pass++) {
      await system.advance(3_600_000);
      expect(await system.sweepInbox()).toEqual({ wait: 1 });
    }
    await system.advance(3_600_000);
    expect(await system.sweepInbox()).toEqual({ held: 1 });
    expect(await inboxOf(system, event['id'])).toMatchObject([{ state: 'held', tries: 0 }]);
    expect(criticals(system)).toMatchObject([{ event: 'event_without_payment' }]);
  });

  it('is not lost with a worker that dies between taking and applying it', async () => {
    const id = await payUnknown(randomUUID());
    await untilReceived(system, SUCCEEDED);
    await untilReceived(system, 'charge.succeeded');
    const { deps } = system.core;
    const taken = await deps.db.run(TAKE_DUE_EVENTS, ['mock', deps.terms.leaseMs, 50]);
    expect(taken.length).toBeGreaterThan(1); // and this worker is never heard of again
    expect(await system.sweepInbox()).toEqual({});
    expect(await statusOf(system, id)).toBe('pending');
    await system.advance(deps.terms.leaseMs);
    await system.sweepInbox();
    expect(await statusOf(system, id)).toBe('succeeded');
  });

  it('waits while the processor cannot be asked, and counts no try', async () => {
    const id = await payUnknown(randomUUID());
    await untilReceived(system, SUCCEEDED);
    await system.mockClient.faults({ fault: 'down' });
    for (let pass = 0; pass < 6; pass++) {
      await system.sweepInbox();
      await system.advance(60_000);
    }
    expect(await rowsOf(SUCCEEDED)).toMatchObject([{ state: 'received', tries: 0 }]);
    await system.mockClient.control('DELETE', 'faults');
    await applyAll(system);
    expect(await statusOf(system, id)).toBe('succeeded');
  });

  it('may come months late: of a payment that is final it changes nothing, and asks nobody', async () => {
    const key = randomUUID();
    const { json } = await system.client.pay({}, key);
    await untilReceived(system, SUCCEEDED);
    await applyAll(system);
    await system.advance(90 * 86_400_000);
    const asked = vi.spyOn(system.core.deps.processor, 'lookUpCharge');
    const late = eventOf({ ...referenceOf(system.account.id, key), id: json.processor.id });
    await deliver(system, late);
    expect(await system.sweepInbox()).toEqual({ applied: 1 });
    expect(await inboxOf(system, late['id'])).toMatchObject([{ reason: 'as recorded' }]);
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('news that contradicts a final payment', () => {
  it('is read back, and changes nothing where the processor does not bear it out', async () => {
    const key = randomUUID();
    const { json } = await system.client.pay({}, key);
    const reference = referenceOf(system.account.id, key);
    const event = eventOf({ ...reference, id: json.processor.id });
    await deliver(system, { ...event, type: 'payment_intent.payment_failed' });
    const asked = vi.spyOn(system.core.deps.processor, 'lookUpCharge');
    await applyAll(system);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(await inboxOf(system, event['id'])).toMatchObject([
      { state: 'applied', reason: 'old news: read back as recorded' },
    ]);
    expect(await statusOf(system, json.id)).toBe('succeeded');
    expect(criticals(system)).toEqual([]);
  });

  it('and cannot be read back now waits', async () => {
    const key = randomUUID();
    const { json } = await system.client.pay({}, key);
    await untilReceived(system, SUCCEEDED);
    await applyAll(system);
    await system.mockClient.faults({ fault: 'down' });
    const event = eventOf({ ...referenceOf(system.account.id, key), id: json.processor.id });
    await deliver(system, { ...event, type: 'payment_intent.canceled' });
    expect(await system.sweepInbox()).toEqual({ wait: 1 });
    expect(await inboxOf(system, event['id'])).toMatchObject([{ state: 'received', tries: 0 }]);
  });
});

describe('news that is not for us', () => {
  it.each([
    ['unknown_type', 'mock.unheard_of', 'its type is not known'],
    ['not_ours', SUCCEEDED, 'it has no reference of ours'],
  ])('%s is stored, counted and ignored', async (kind, type, reason) => {
    await system.mockClient.control('POST', 'events', { kind });
    await untilReceived(system, type);
    expect(await system.sweepInbox()).toEqual({ ignored: 1 });
    expect(await inboxOf(system)).toMatchObject([
      { type, state: 'ignored', reason, deliveries: 1 },
    ]);
  });

  it('of an account that is not here is ignored', async () => {
    await deliver(system, eventOf(referenceOf(randomUUID(), 'any')));
    expect(await system.sweepInbox()).toEqual({ ignored: 1 });
  });
});
