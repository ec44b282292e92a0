import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MockClient } from '#testing/mock-client.js';
import { buildDemonstration, MockProcess } from '#testing/mock-process.js';
import { WebhookReceiver, type WebhookEvent } from '#testing/webhook-receiver.js';
import { DEMO_WEBHOOK_SECRET } from './settings.js';

/** Deliveries of the mock as a process: what a kill leaves owed, and where its settings come from. */
let folder: string;
let receiver: WebhookReceiver;
const started: MockProcess[] = [];

beforeAll(buildDemonstration);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-webhooks-process-'));
  receiver = await WebhookReceiver.start();
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((mock) => mock.end('SIGKILL')));
  await receiver.close();
  await rm(folder, { recursive: true });
});

test('what is owed when it is killed is delivered by the next start', async () => {
  const mock = start();
  const client = await mock.untilListening();
  const heard = new Set<string>();
  receiver.answers(({ event }) => {
    if (event.type !== 'payment_intent.created')
      return event.type === 'charge.succeeded' ? 503 : 'hang';
    heard.add(event.id);
    return 200;
  });
  const charges = Array.from({ length: 30 }, (_, n) => client.charge('pm_1', { key: `k-${n}` }));
  await Promise.all(charges);
  await receiver.until(() => heard.size >= 8);
  await mock.end('SIGKILL');

  receiver.answers(({ event }) => {
    heard.add(event.id);
    return 200;
  });
  const after = await start().untilListening();
  await receiver.until(() => heard.size >= 90);
  await expect.poll(() => owed(after), { timeout: 10_000 }).toBe(0);
  expect(new Set((await eventsOf(after)).map(({ id }) => id))).toEqual(heard);
});

test('what has been taken is not delivered again by the next start', async () => {
  const mock = start();
  const client = await mock.untilListening();
  await client.charge('pm_1');
  await expect.poll(() => owed(client), { timeout: 10_000 }).toBe(0);
  await mock.end('SIGKILL');
  const after = await start().untilListening();
  await after.control('POST', 'events', { kind: 'not_ours' });
  await expect.poll(() => owed(after), { timeout: 10_000 }).toBe(0);
  expect(receiver.received).toHaveLength(4);
});

test('SIGTERM waits for no delivery, and the next start makes it', async () => {
  receiver.answers(() => 'hang');
  const mock = start();
  const client = await mock.untilListening();
  await client.charge('pm_1');
  await receiver.until(({ received }) => received.length === 1);
  const startedMs = performance.now();
  expect(await mock.end('SIGTERM')).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  receiver.answers(() => 200);
  const after = await start().untilListening();
  await expect.poll(() => owed(after), { timeout: 10_000 }).toBe(0);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(3);
});

test.each([
  [undefined, DEMO_WEBHOOK_SECRET],
  ['whsec_new, whsec_old', 'whsec_new'],
])('STRIPE_WEBHOOK_SECRET=%s signs with %s', async (setting, secret) => {
  const mock = start(setting === undefined ? {} : { STRIPE_WEBHOOK_SECRET: setting });
  await (await mock.untilListening()).charge('pm_1');
  await receiver.until(({ received }) => received.length > 0);
  const { bytes, headers } = receiver.received[0]!;
  const event = Stripe.webhooks.constructEvent(bytes, headers['stripe-signature'] ?? '', secret);
  expect(event.type).toBe('payment_intent.created');
});

test.each([
  ['MOCK_WEBHOOK_URL', 'somewhere'],
  ['MOCK_WEBHOOK_URL', 'ftp://127.0.0.1/'],
  ['STRIPE_WEBHOOK_SECRET', ',whsec_old'],
])('%s=%s is no place to deliver to and ends it with 78', async (name, value) => {
  const mock = start({ [name]: value });
  expect(await mock.ended).toBe(78);
  expect(mock.stderr).toContain(name);
  expect(mock.stderr.trim().split('\n')).toHaveLength(1);
});

function start(env: NodeJS.ProcessEnv = {}): MockProcess {
  const bookFile = join(folder, 'book.jsonl');
  const mock = new MockProcess({ MOCK_BOOK: bookFile, MOCK_WEBHOOK_URL: receiver.url, ...env });
  started.push(mock);
  return mock;
}

async function owed(client: MockClient): Promise<number> {
  return (await client.control('GET', 'state')).json.events_owed;
}

async function eventsOf(client: MockClient): Promise<WebhookEvent[]> {
  return (await client.get('/v1/events?limit=100')).json.data;
}
