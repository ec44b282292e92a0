import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockClient } from '#testing/mock-client.js';
import { startMockProcessor, type Mock } from './server.js';

const DAY_MS = 24 * 3_600_000;

let folder: string;
let mock: Mock;
let client: MockClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-expand-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  client = new MockClient(mock.url);
});
afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

describe('an expanded charge tells until when its authorization can be captured', () => {
  const EXPAND = 'expand[0]=latest_charge';
  const cardOf = (intent: any) => intent.latest_charge.payment_method_details.card;

  test("for seven days from its own moment, by the mock's clock", async () => {
    await client.advance(30 * DAY_MS);
    const { id } = (await client.charge('pm_1', { capture_method: 'manual' })).json;
    const { latest_charge: charge } = (await client.get(`/v1/payment_intents/${id}?${EXPAND}`))
      .json;
    const { capture_before: until } = charge.payment_method_details.card;
    expect(until).toBe(charge.created + (7 * DAY_MS) / 1000);
    expect(until * 1000).toBeGreaterThan(Date.now() + 36 * DAY_MS);
  });

  test.each([
    ['captured at once', 'pm_1', {}],
    ['declined', 'pm_card_chargeDeclined', { capture_method: 'manual' }],
  ])('and not where it was %s', async (_what, method, more) => {
    await client.charge(method, { intent: `none-${method}`, ...more });
    const list = (await client.get(`/v1/payment_intents?limit=1&expand[0]=data.latest_charge`))
      .json;
    expect(cardOf(list.data[0])).toEqual({ brand: 'visa', last4: '4242' });
  });

  test('and no more once it was captured', async () => {
    const { id } = (await client.charge('pm_1', { capture_method: 'manual' })).json;
    await client.post(`/v1/payment_intents/${id}/capture`);
    const intent = (await client.get(`/v1/payment_intents/${id}?${EXPAND}`)).json;
    expect(cardOf(intent)).not.toHaveProperty('capture_before');
  });
});

describe('the payment is shown in full', () => {
  test('in a dispute, and in the list of them', async () => {
    const { id } = (await client.charge('pm_1', { intent: 'disputed' })).json;
    const body = { kind: 'dispute_opened', payment_intent: id };
    await client.control('POST', 'events', body);
    const payment = { id, object: 'payment_intent', metadata: { payonce_intent: 'disputed' } };
    const path = '/v1/disputes';
    const { data } = (await client.get(`${path}?expand[0]=data.payment_intent`)).json;
    expect(data[0]).toMatchObject({ object: 'dispute', payment_intent: payment });
    const one = (await client.get(`${path}/${data[0].id}?expand[0]=payment_intent`)).json;
    expect(one).toEqual(data[0]);
  });

  test('in the list of its refunds, beside the metadata of each', async () => {
    const { id } = (await client.charge('pm_1', { intent: 'refunded' })).json;
    const form = { payment_intent: id, amount: '1', 'metadata[payonce_intent]': 'r-1' };
    await client.post('/v1/refunds', form);
    const query = `payment_intent=${id}&limit=100&expand[0]=data.payment_intent`;
    const { data } = (await client.get(`/v1/refunds?${query}`)).json;
    expect(data).toMatchObject([
      {
        object: 'refund',
        metadata: { payonce_intent: 'r-1' },
        payment_intent: { id, metadata: { payonce_intent: 'refunded' } },
      },
    ]);
  });
});
