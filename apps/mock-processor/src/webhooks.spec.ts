import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock, type Clock } from '#seams/clock.js';
import { MockClient } from '#testing/mock-client.js';
import { WebhookReceiver, type WebhookEvent } from '#testing/webhook-receiver.js';
import { AGE_MS_MAX, EVENTS_AT_ONCE, pauseAfter, TRIES_MAX } from './deliveries.js';
import { WEBHOOK_TIMEOUT_MS } from './post-webhook.js';
import { REFUND_SETTLES_AFTER_MS } from './refunds.js';
import { startMockProcessor, type Mock, type MockLogLine } from './server.js';

/** Deliveries, against a receiver that listens, refuses, hangs or is not there. */
const SECRET = 'whsec_test';
const HURRIED_MS = 20;
let folder: string;
let receiver: WebhookReceiver;
let mock: Mock;
let client: MockClient;
let pausesMs: number[];
let lines: MockLogLine[];
let wallAheadMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-webhooks-'));
  receiver = await WebhookReceiver.start();
  pausesMs = [];
  lines = [];
  wallAheadMs = 0;
  await start();
});

afterEach(async () => {
  await mock.close();
  await receiver.close();
  await rm(folder, { recursive: true });
});

describe('a delivery', () => {
  test("passes Stripe's own check and carries the object in full", async () => {
    const { json, headers } = await client.charge('pm_1', { key: 'k', intent: 'i' });
    await receiver.until(({ received }) => received.length === 3);
    const events = receiver.received.map(({ bytes, headers: sent }) =>
      Stripe.webhooks.constructEvent(bytes, sent['stripe-signature'] ?? '', SECRET),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'charge.succeeded',
      'payment_intent.succeeded',
    ]);
    expect(events[2]).toMatchObject({
      object: 'event',
      api_version: '2026-10-28.endive',
      livemode: false,
      pending_webhooks: 1,
      request: { id: headers.get('request-id'), idempotency_key: 'k' },
      data: { object: json },
    });
    const { bytes, headers: sent } = receiver.received[0]!;
    const signature = sent['stripe-signature'] ?? '';
    expect(() => Stripe.webhooks.constructEvent(bytes, signature, 'whsec_other')).toThrow(
      /signature/,
    );
    const tampered = Buffer.from(bytes.toString('utf8').replace('2500', '2501'));
    expect(() => Stripe.webhooks.constructEvent(tampered, signature, SECRET)).toThrow(/signature/);
  });

  test('is signed at the time of the wall, however far the clock of the mock has been moved', async () => {
    await client.advance(40 * 24 * 3_600_000);
    await client.charge('pm_1');
    await receiver.until(({ received }) => received.length > 0);
    const { bytes, headers, event } = receiver.received[0]!;
    Stripe.webhooks.constructEvent(bytes, headers['stripe-signature'] ?? '', SECRET);
    expect(event['created'] * 1000).toBeGreaterThan(Date.now() + 39 * 24 * 3_600_000);
  });

  test('is made for an event that is on the disk already', async () => {
    const listed: boolean[] = [];
    receiver.answers(async ({ event }) => {
      listed.push((await readFile(join(folder, 'book.jsonl'), 'utf8')).includes(event.id));
      return 200;
    });
    await client.charge('pm_1');
    await receiver.until(() => listed.length === 3);
    expect(listed).toEqual([true, true, true]);
  });

  test.each([500, 400, 302, 404])('answered %i is made again, the same bytes', async (status) => {
    const target = `${receiver.url}/elsewhere`;
    receiver.answers(() => (receiver.received.length === 1 ? { status, location: target } : 200));
    await client.control('POST', 'events', { kind: 'not_ours' });
    await receiver.until(({ received }) => received.length === 2);
    await nothingOwed();
    const [first, second] = receiver.received;
    expect(second?.bytes).toEqual(first?.bytes);
    expect(receiver.received).toHaveLength(2);
  });

  test('that is never answered is cut off and made again', async () => {
    await restart({ hurry: WEBHOOK_TIMEOUT_MS });
    receiver.answers(() => (receiver.received.length === 1 ? 'hang' : 200));
    await client.control('POST', 'events', { kind: 'not_ours' });
    await nothingOwed();
    expect(receiver.received).toHaveLength(2);
    expect(pausesMs).toContain(WEBHOOK_TIMEOUT_MS);
  });

  test('goes on until the receiver is there', async () => {
    const { port } = receiver;
    await receiver.close();
    const { json } = await client.charge('pm_1');
    expect(json.status).toBe('succeeded');
    expect((await state()).events_owed).toBe(3);
    receiver = await WebhookReceiver.start(port);
    await receiver.until(({ received }) => received.length === 3);
    await nothingOwed();
  });

  test('is given up after so many tries, which is said', async () => {
    await restart({ hurry: 0 });
    receiver.answers(() => 500);
    await client.control('POST', 'events', { kind: 'not_ours' });
    await nothingOwed();
    expect(receiver.received).toHaveLength(TRIES_MAX);
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        event: 'mock_webhook_abandoned',
        tries: TRIES_MAX,
      }),
    );
    const missed = await client.get('/v1/events?delivery_success=false');
    expect(missed.json.data).toHaveLength(1);
  });

  test('is given up when the event has become too old', async () => {
    receiver.answers(async () => {
      await client.advance(AGE_MS_MAX);
      return 500;
    });
    await client.control('POST', 'events', { kind: 'not_ours' });
    await nothingOwed();
    expect(receiver.received).toHaveLength(1);
  });

  test('is one of few at a time, and those of one payment go in their order', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    receiver.answers(() => gate.then(() => 200));
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.charge('pm_1', { key: `k-${n}` })),
    );
    await receiver.until(({ received }) => received.length >= EVENTS_AT_ONCE);
    for (let n = 0; n < 20; n += 1) await state(); // time enough for one more to arrive
    const first = receiver.received.map(({ event }) => intentOf(event));
    expect(first).toHaveLength(EVENTS_AT_ONCE);
    expect(new Set(first).size).toBe(EVENTS_AT_ONCE);
    release();
    await receiver.until(({ received }) => received.length === 60);
    expect(receiver.heldMost).toBe(EVENTS_AT_ONCE);
    const intents = new Set(receiver.received.map(({ event }) => intentOf(event)));
    expect(intents.size).toBe(20);
    for (const intent of intents) {
      const own = receiver.received.filter(({ event }) => intentOf(event) === intent);
      expect(own.map(({ event }) => event.type)).toEqual([
        'payment_intent.created',
        'charge.succeeded',
        'payment_intent.succeeded',
      ]);
    }
  });
});

test('pauses grow to a minute and are never the same for all', () => {
  expect([1, 2, 3, 8, 29].map((tries) => pauseAfter(tries, 1))).toEqual([
    500, 1000, 2000, 60_000, 60_000,
  ]);
  expect([1, 8].map((tries) => pauseAfter(tries, 0))).toEqual([250, 30_000]);
});

describe('a restart', () => {
  test('delivers what is owed, and nothing that has been taken', async () => {
    receiver.answers(({ event }) => (event.type === 'charge.succeeded' ? 503 : 200));
    await client.charge('pm_1');
    await receiver.until(({ types }) => types.includes('payment_intent.succeeded'));
    await expect.poll(async () => (await state()).events_owed).toBe(1);
    await mock.close();
    receiver.received.length = 0;
    receiver.answers(() => 200);
    await start();
    await nothingOwed();
    expect(receiver.types).toEqual(['charge.succeeded']);
  });

  test('tells of a refund whose time has come meanwhile', async () => {
    await refundLater();
    await mock.close();
    wallAheadMs = REFUND_SETTLES_AFTER_MS;
    await start();
    await receiver.until(({ types }) => types.includes('refund.updated'));
    expect(receiver.types.filter((type) => type === 'refund.updated')).toHaveLength(1);
  });
});

test('a refund that settles later is told of although nobody asks', async () => {
  await restart({ hurry: REFUND_SETTLES_AFTER_MS });
  await refundLater();
  await receiver.until(({ types }) => types.includes('refund.updated'));
  const { event } = receiver.received.find(({ event: { type } }) => type === 'refund.updated')!;
  expect(event.data.object).toMatchObject({ object: 'refund', status: 'succeeded', amount: 1 });
});

test('without an address nothing is owed, and a receiver that comes later is told what comes later', async () => {
  await mock.close();
  await start({ webhooks: false });
  await client.charge('pm_1');
  expect((await state()).events_owed).toBe(0);
  expect((await client.control('GET', 'webhooks')).json.url).toBeNull();
  mock.sendWebhooksTo({ url: receiver.url, secret: SECRET });
  await client.charge('pm_card_chargeDeclined');
  await receiver.until(({ received }) => received.length === 3);
  expect(receiver.types).toEqual([
    'payment_intent.created',
    'charge.failed',
    'payment_intent.payment_failed',
  ]);
});

/** `hurry`: sleeps of about so many milliseconds pass at once; with 0, all but the time-out. */
async function start({ webhooks = true, hurry = -1 }: { webhooks?: boolean; hurry?: number } = {}) {
  const clock: Clock = {
    ...systemClock,
    wallMs: () => systemClock.wallMs() + wallAheadMs,
    async sleep(ms, signal) {
      pausesMs.push(ms);
      const isHurried = hurry === 0 ? ms !== WEBHOOK_TIMEOUT_MS : Math.abs(ms - hurry) < 1000;
      if (!isHurried) return systemClock.sleep(ms, signal);
      await systemClock.sleep(HURRIED_MS, signal);
      wallAheadMs += ms;
    },
  };
  mock = await startMockProcessor({
    bookFile: join(folder, 'book.jsonl'),
    clock,
    log: (line) => lines.push(line),
    ...(webhooks && { webhooks: { url: receiver.url, secret: SECRET } }),
  });
  client = new MockClient(mock.url);
}

async function restart(options: { hurry: number }): Promise<void> {
  await mock.close();
  await start(options);
}

async function refundLater(): Promise<void> {
  const { json } = await client.charge('pm_card_pendingRefund');
  await client.post('/v1/refunds', { payment_intent: json.id, amount: '1' });
  await receiver.until(({ types }) => types.includes('charge.refunded'));
}

function intentOf({ data: { object } }: WebhookEvent): string {
  return (object['payment_intent'] as string | undefined) ?? object.id;
}

async function state(): Promise<any> {
  return (await client.control('GET', 'state')).json;
}

async function nothingOwed(): Promise<void> {
  await expect.poll(async () => (await state()).events_owed, { timeout: 20_000 }).toBe(0);
}
