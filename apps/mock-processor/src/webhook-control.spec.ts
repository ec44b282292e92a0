import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MockClient } from '#testing/mock-client.js';
import { WebhookReceiver } from '#testing/webhook-receiver.js';
import { WINDOW_EVENTS } from './hold-back.js';
import { shuffled } from './seeded.js';
import { startMockProcessor, type Mock } from './server.js';

/** Deliveries that go wrong on demand. */
const OF_A_CHARGE = ['payment_intent.created', 'charge.succeeded', 'payment_intent.succeeded'];
let folder: string;
let receiver: WebhookReceiver;
let mock: Mock;
let client: MockClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-webhook-control-'));
  receiver = await WebhookReceiver.start();
  mock = await startMockProcessor({
    bookFile: join(folder, 'book.jsonl'),
    webhooks: { url: receiver.url, secret: 'whsec_test' },
  });
  client = new MockClient(mock.url);
});

afterEach(async () => {
  await mock.close();
  await receiver.close();
  await rm(folder, { recursive: true });
});

test('absent members take the ordinary values', async () => {
  const ordinary = {
    copies: 1,
    delay_ms: 0,
    order: 'normal',
    before_answer: false,
    two_ids: false,
    drop: false,
    seed: 1,
    url: receiver.url,
  };
  expect((await set({ copies: 3, order: 'shuffled' })).json).toEqual({
    ...ordinary,
    copies: 3,
    order: 'shuffled',
  });
  expect((await set({ drop: true })).json).toEqual({ ...ordinary, drop: true });
  expect((await client.control('DELETE', 'webhooks')).json).toEqual(ordinary);
});

test('copies arrive side by side, the same bytes', async () => {
  await set({ copies: 3 });
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  receiver.answers(() => gate.then(() => 200));
  await client.control('POST', 'events', { kind: 'not_ours' });
  await receiver.until(({ received }) => received.length === 3);
  release();
  await nothingOwed();
  expect(new Set(receiver.received.map(({ bytes }) => bytes.toString('utf8'))).size).toBe(1);
});

test('only the copies that were refused come again', async () => {
  await set({ copies: 3 });
  receiver.answers(() => (receiver.received.length === 2 ? 500 : 200));
  await client.control('POST', 'events', { kind: 'not_ours' });
  await nothingOwed();
  expect(receiver.received).toHaveLength(4);
});

test('two ids tell one fact as two events', async () => {
  await set({ two_ids: true });
  await client.charge('pm_1');
  await receiver.until(({ received }) => received.length === 6);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(6);
  expect(receiver.types).toEqual(OF_A_CHARGE.flatMap((type) => [type, type]));
  const [first, second] = receiver.received;
  expect(first?.event.data).toEqual(second?.event.data);
  expect((await client.get('/v1/events')).json.data).toHaveLength(6);
});

test('dropped events are listed, never arrive, and can be delivered later', async () => {
  await set({ drop: true });
  await client.charge('pm_1');
  await set({});
  await client.control('POST', 'events', { kind: 'not_ours' });
  await nothingOwed();
  expect(receiver.received).toHaveLength(1);
  const missed = await listed('delivery_success=false');
  expect(missed.map(({ type }) => type)).toEqual([...OF_A_CHARGE].reverse());
  const [latest] = missed;
  expect((await redeliver({ event_id: latest?.id })).json).toEqual({ redelivered: 1 });
  await receiver.until(({ received }) => received.length === 2);
  expect(receiver.received[1]?.event.id).toBe(latest?.id);
  await nothingOwed();
  expect(await listed('delivery_success=false')).toHaveLength(2);
});

test('a range is delivered again, whatever has arrived of it', async () => {
  await client.charge('pm_1');
  await client.advance(60_000);
  const from = (await client.control('GET', 'state')).json.now;
  await client.charge('pm_1');
  await client.advance(60_000);
  const to = (await client.control('GET', 'state')).json.now;
  await client.advance(1);
  await client.charge('pm_1');
  await nothingOwed();
  receiver.received.length = 0;
  expect((await redeliver({ from, to })).json).toEqual({ redelivered: 3 });
  await receiver.until(({ received }) => received.length === 3);
  await nothingOwed();
  expect(receiver.types).toEqual(OF_A_CHARGE);
});

test('a delay holds each event back', async () => {
  await set({ delay_ms: 400 });
  const startedMs = performance.now();
  await client.control('POST', 'events', { kind: 'not_ours' });
  await receiver.until(({ received }) => received.length === 1);
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(395);
});

describe('the order', () => {
  test('is reversed within a window', async () => {
    await set({ order: 'reversed' });
    await client.charge('pm_1');
    await receiver.until(({ received }) => received.length === 3);
    expect(receiver.types).toEqual([...OF_A_CHARGE].reverse());
  });

  test('is shuffled by the seed: the same every time', async () => {
    const expected = shuffled(OF_A_CHARGE, 7);
    expect(expected).not.toEqual(OF_A_CHARGE);
    await set({ order: 'shuffled', seed: 7 });
    for (const round of [1, 2]) {
      receiver.received.length = 0;
      await client.charge('pm_1', { key: `k-${round}` });
      await receiver.until(({ received }) => received.length === 3);
      expect(receiver.types).toEqual(expected);
    }
    const orders = [1, 2, 3, 4].map((seed) => shuffled([1, 2, 3, 4, 5, 6], seed).join(''));
    expect(new Set(orders).size).toBe(4);
  });

  test('is restored, and what was held back goes out, when the settings change', async () => {
    await set({ order: 'reversed' });
    const charges = Math.ceil(WINDOW_EVENTS / 3) - 1;
    for (let n = 0; n < charges; n += 1) await client.charge('pm_1', { key: `k-${n}` });
    await set({});
    await client.charge('pm_1', { key: 'later' });
    await receiver.until(({ received }) => received.length === (charges + 1) * 3);
    const typesOf = (key: string) =>
      receiver.received
        .filter(({ event }) => event['request'].idempotency_key === key)
        .map(({ event }) => event.type);
    expect(receiver.received[0]?.event['request'].idempotency_key).not.toBe('later');
    expect(typesOf('later')).toEqual(OF_A_CHARGE);
    expect(typesOf('k-0')).toEqual([...OF_A_CHARGE].reverse());
  });
});

describe('before the answer', () => {
  test('every event of a request has arrived, lost answers included', async () => {
    await set({ before_answer: true });
    await client.charge('pm_1');
    expect(receiver.types).toEqual(OF_A_CHARGE);
    await client.charge('pm_test_lose_response', { key: 'k' }).catch(() => null);
    expect(receiver.received).toHaveLength(6);
    await client.control('POST', 'events', { kind: 'not_ours' });
    expect(receiver.received).toHaveLength(7);
  });

  test('the answer waits for the receiver, and not for a second try', async () => {
    await set({ before_answer: true });
    let answered = false;
    const seen: boolean[] = [];
    receiver.answers(() => {
      seen.push(answered);
      return 500;
    });
    const { status } = await client.control('POST', 'events', { kind: 'not_ours' });
    answered = true;
    expect([status, seen]).toEqual([200, [false]]);
    receiver.answers(() => 200);
    await nothingOwed();
  });
});

test('what was missed is found in the list', async () => {
  await client.charge('pm_1');
  const [known] = await listed('limit=1');
  await client.advance(5_000);
  const since = Math.floor(Date.parse((await client.control('GET', 'state')).json.now) / 1000);
  const { json } = await client.charge('pm_1', { capture_method: 'manual' });
  await client.post(`/v1/payment_intents/${json.id}/cancel`);
  const types = async (query: string) => (await listed(query)).map(({ type }) => type);
  const missed = [
    'payment_intent.canceled',
    'payment_intent.amount_capturable_updated',
    'charge.succeeded',
    'payment_intent.created',
  ];
  expect(await types(`created[gte]=${since}`)).toEqual(missed);
  expect(await types(`ending_before=${known?.id}`)).toEqual(missed);
  expect(await types(`ending_before=${known?.id}&limit=2`)).toEqual(missed.slice(2));
  const [newest] = await listed('limit=1');
  expect(await types(`starting_after=${newest?.id}&limit=3`)).toEqual(missed.slice(1));
  const query = 'types[]=payment_intent.canceled&types[]=charge.succeeded';
  expect(await types(`${query}&created[gte]=${since}`)).toEqual([missed[0], missed[2]]);
  expect(await types('type=charge.failed')).toEqual([]);
});

test.each([
  [{ copies: 0 }, 'copies'],
  [{ copies: 11 }, 'copies'],
  [{ copies: '2' }, 'copies'],
  [{ delay_ms: -1 }, 'delay_ms'],
  [{ order: 'sideways' }, 'order'],
  [{ before_answer: 1 }, 'before_answer'],
  [{ two_ids: 'yes' }, 'two_ids'],
  [{ drop: 0 }, 'drop'],
  [{ seed: 1.5 }, 'seed'],
  [{ url: 'http://elsewhere.example' }, 'url'],
  [[], null],
])('settings %j are refused, and %s is named', async (body, param) => {
  await set({ copies: 2 });
  const { status, json } = await set(body);
  expect([status, json.error.param]).toEqual([400, param]);
  if (param !== null) expect(json.error.message).toContain(param);
  expect((await client.control('GET', 'webhooks')).json.copies).toBe(2);
});

test.each([
  [{}, 'from'],
  [{ event_id: 'evt_none' }, 'event_id'],
  [{ event_id: 7 }, 'event_id'],
  [{ event_id: 'evt_none', from: '2026-01-01T00:00:00Z' }, 'event_id'],
  [{ from: '2026-01-01T00:00:00Z' }, 'to'],
  [{ from: 'yesterday', to: '2026-01-01T00:00:00Z' }, 'from'],
  [{ since: 1 }, 'since'],
])('redelivering %j is refused, and %s is named', async (body, param) => {
  const { status, json } = await redeliver(body);
  expect([status, json.error.param]).toEqual([400, param]);
  expect(json.error.message).toContain(param);
});

function set(body: unknown) {
  return client.control('PUT', 'webhooks', body);
}

function redeliver(body: unknown) {
  return client.control('POST', 'webhooks/redeliver', body);
}

async function listed(query: string): Promise<{ id: string; type: string }[]> {
  return (await client.get(`/v1/events?${query}`)).json.data;
}

async function nothingOwed(): Promise<void> {
  const owed = async () => (await client.control('GET', 'state')).json.events_owed;
  await expect.poll(owed, { timeout: 20_000 }).toBe(0);
}
