import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MockClient, type MockAnswer } from '#testing/mock-client.js';
import { DISPUTE_FEE } from './fee.js';
import { startMockProcessor, type Mock } from './server.js';

/** What happens without a request: its lines in the book, its objects, its events. */
let folder: string;
let mock: Mock;
let client: MockClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-events-'));
  await start();
});

afterEach(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

describe('a dispute', () => {
  test('takes the money and a fee, can be read and listed, and says so', async () => {
    const id = await charged();
    const { events } = (await happens('dispute_opened', { payment_intent: id })).json;
    const [dispute] = (await client.get(`/v1/disputes?payment_intent=${id}`)).json.data;
    expect(dispute).toMatchObject({
      object: 'dispute',
      amount: 2500,
      currency: 'myr',
      payment_intent: id,
      status: 'needs_response',
      balance_transactions: [{ amount: -2500, fee: DISPUTE_FEE, type: 'adjustment' }],
    });
    expect((await client.get(`/v1/disputes/${dispute.id}`)).json).toEqual(dispute);
    expect((await client.get('/v1/disputes?payment_intent=pi_other')).json.data).toEqual([]);
    expect((await client.get(`/v1/charges/${dispute.charge}`)).json.disputed).toBe(true);
    expect(await newLines()).toEqual([
      ['dispute', dispute.id, id, 2500, 'needs_response'],
      ['dispute_fee', dispute.balance_transactions[0].id, dispute.id, DISPUTE_FEE, 'succeeded'],
    ]);
    expect(await typesOf(events)).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
    ]);
    expect((await client.get(`/v1/events/${events[0]}`)).json).toMatchObject({
      data: { object: dispute },
      request: { id: null, idempotency_key: null },
    });
  });

  test('that is won gives the money back, without the fee, once', async () => {
    const id = await charged();
    await happens('dispute_opened', { payment_intent: id, amount: 1000 });
    const { events } = (await happens('dispute_won', { payment_intent: id })).json;
    const [dispute] = (await client.get(`/v1/disputes?payment_intent=${id}`)).json.data;
    expect(dispute.status).toBe('won');
    expect(dispute.balance_transactions.map(({ net }: any) => net)).toEqual([-2500, 1000]);
    expect((await newLines()).slice(2)).toEqual([
      ['dispute_won', dispute.balance_transactions[1].id, dispute.id, 1000, 'succeeded'],
    ]);
    expect(await typesOf(events)).toEqual([
      'charge.dispute.closed',
      'charge.dispute.funds_reinstated',
    ]);
    expect((await client.get(`/v1/charges/${dispute.charge}`)).json.disputed).toBe(false);
    const again = await happens('dispute_won', { payment_intent: id });
    expect([again.status, again.json.error.param]).toEqual([400, 'payment_intent']);
  });

  test('that is lost moves nothing more', async () => {
    const id = await charged();
    await happens('dispute_opened', { payment_intent: id });
    const { events } = (await happens('dispute_lost', { payment_intent: id })).json;
    expect(await newLines()).toHaveLength(2);
    expect(await typesOf(events)).toEqual(['charge.dispute.closed']);
    const [dispute] = (await client.get(`/v1/disputes?payment_intent=${id}`)).json.data;
    expect(dispute.status).toBe('lost');
  });

  test('may exceed the charge, and comes after a full refund as well', async () => {
    const id = await charged();
    await client.post('/v1/refunds', { payment_intent: id });
    await happens('dispute_opened', { payment_intent: id });
    await happens('dispute_lost', { payment_intent: id });
    await happens('dispute_opened', { payment_intent: id, amount: 9999 });
    expect((await newLines()).map(([operation, , , amount]) => [operation, amount])).toEqual([
      ['refund', 2500],
      ['dispute', 2500],
      ['dispute_fee', DISPUTE_FEE],
      ['dispute', 9999],
      ['dispute_fee', DISPUTE_FEE],
    ]);
  });

  test('leaves only the rest to refund, until it is won', async () => {
    const id = await charged();
    await happens('dispute_opened', { payment_intent: id, amount: 2000 });
    const refund = (amount?: string) =>
      client.post('/v1/refunds', { payment_intent: id, ...(amount !== undefined && { amount }) });
    expect((await refund('501')).json.error.code).toBe('charge_disputed');
    expect((await refund()).json.amount).toBe(500);
    expect((await refund()).json.error.code).toBe('charge_disputed');
    await happens('dispute_won', { payment_intent: id });
    expect((await refund()).json.amount).toBe(2000);
    expect((await refund()).json.error.code).toBe('charge_already_refunded');
  });

  test('survives a restart', async () => {
    const id = await charged();
    await happens('dispute_opened', { payment_intent: id });
    const path = `/v1/disputes?payment_intent=${id}`;
    const before = (await client.get(path)).text;
    await mock.close();
    await start();
    expect((await client.get(path)).text).toBe(before);
    expect((await happens('dispute_won', { payment_intent: id })).status).toBe(200);
  });
});

describe('a late success', () => {
  test.each(['declined', 'canceled', 'canceled after the authorization'])(
    'charges an intent that was %s',
    async (how) => {
      const id = await unpaid(how);
      const before = (await client.book()).length;
      const { events } = (await happens('late_success', { payment_intent: id })).json;
      const path = `/v1/payment_intents/${id}?expand[]=latest_charge`;
      const intent = (await client.get(path)).json;
      expect(intent).toMatchObject({ status: 'succeeded', amount_received: 2500 });
      expect(intent).toMatchObject({ canceled_at: null, last_payment_error: null });
      expect(intent.latest_charge).toMatchObject({ status: 'succeeded', amount_captured: 2500 });
      expect((await client.book()).slice(before)).toEqual([
        expect.objectContaining({ operation: 'charge', id, amount: 2500 }),
        expect.objectContaining({ operation: 'fee', parent: id }),
      ]);
      expect(await typesOf(events)).toEqual(['charge.succeeded', 'payment_intent.succeeded']);
    },
  );

  test('does not come for an intent that is paid', async () => {
    const { status, json } = await happens('late_success', { payment_intent: await charged() });
    expect([status, json.error.param]).toEqual([400, 'payment_intent']);
    expect(await newLines()).toEqual([]);
  });
});

test('a refund fails after it has succeeded, and the charge can be refunded again', async () => {
  const id = await charged();
  const refund = (await client.post('/v1/refunds', { payment_intent: id })).json.id;
  const { events } = (await happens('refund_failed', { refund })).json;
  const failed = (await client.get(`/v1/refunds/${refund}`)).json;
  expect(failed.status).toBe('failed');
  expect((await newLines()).at(-1)).toEqual([
    'refund_failed',
    failed.failure_balance_transaction,
    refund,
    2500,
    'failed',
  ]);
  expect(await typesOf(events)).toEqual([
    'refund.failed',
    'refund.updated',
    'charge.refund.updated',
  ]);
  expect((await client.post('/v1/refunds', { payment_intent: id })).status).toBe(200);
  expect((await happens('refund_failed', { refund })).json.error.param).toBe('refund');
});

test('an authorization expires and gives its amount back', async () => {
  const id = (await client.charge('pm_1', { capture_method: 'manual' })).json.id;
  const { events } = (await happens('authorization_expired', { payment_intent: id })).json;
  const intent = (await client.get(`/v1/payment_intents/${id}`)).json;
  expect(intent).toMatchObject({ status: 'canceled', cancellation_reason: 'automatic' });
  expect((await client.book()).map(({ operation, amount }) => [operation, amount])).toEqual([
    ['authorize', 2500],
    ['void', 2500],
  ]);
  expect(await typesOf(events)).toEqual(['payment_intent.canceled', 'charge.expired']);
  const capture = await client.post(`/v1/payment_intents/${id}/capture`);
  expect(capture.status).toBe(400);
});

test.each([
  ['unknown_type', 'mock.unheard_of'],
  ['not_ours', 'payment_intent.succeeded'],
])('%s is an event and nothing else', async (kind, type) => {
  const [event] = (await happens(kind)).json.events;
  const shown = (await client.get(`/v1/events/${event}`)).json;
  expect(shown).toMatchObject({ type, data: { object: { object: 'payment_intent' } } });
  expect(shown.data.object.metadata).not.toHaveProperty('payonce_intent');
  expect((await client.get(`/v1/payment_intents/${shown.data.object.id}`)).status).toBe(404);
  expect(await client.book()).toEqual([]);
});

test.each([
  [{}, 'kind'],
  [{ kind: 'nonsense' }, 'kind'],
  [{ kind: 7 }, 'kind'],
  [{ kind: 'dispute_opened' }, 'payment_intent'],
  [{ kind: 'dispute_opened', payment_intent: 'pi_none' }, 'payment_intent'],
  [{ kind: 'dispute_opened', payment_intent: 5 }, 'payment_intent'],
  [{ kind: 'dispute_opened', payment_intent: 'pi_none', amount: 0 }, 'amount'],
  [{ kind: 'dispute_opened', payment_intent: 'pi_none', amount: 1.5 }, 'amount'],
  [{ kind: 'dispute_opened', payment_intent: 'pi_none', refund: 're_1' }, 'refund'],
  [{ kind: 'dispute_won', payment_intent: 'pi_none', amount: 5 }, 'amount'],
  [{ kind: 'refund_failed' }, 'refund'],
  [{ kind: 'refund_failed', refund: 're_none' }, 'refund'],
  [{ kind: 'refund_failed', refund: 're_none', payment_intent: 'pi_1' }, 'payment_intent'],
  [{ kind: 'not_ours', payment_intent: 'pi_1' }, 'payment_intent'],
  [{ kind: 'not_ours', more: 1 }, 'more'],
  [[], null],
])('an event %j is refused, and %s is named', async (body, param) => {
  const { status, json } = await client.control('POST', 'events', body);
  expect([status, json.error.param]).toEqual([400, param]);
  if (param !== null) expect(json.error.message).toContain(param);
  expect((await client.get('/v1/events')).json.data).toEqual([]);
});

async function start(): Promise<void> {
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  client = new MockClient(mock.url);
}

function happens(kind: string, more: Record<string, unknown> = {}): Promise<MockAnswer> {
  return client.control('POST', 'events', { kind, ...more });
}

async function charged(): Promise<string> {
  return (await client.charge('pm_1')).json.id;
}

async function unpaid(how: string): Promise<string> {
  if (how === 'declined') {
    return (await client.charge('pm_card_chargeDeclined')).json.error.payment_intent.id;
  }
  const form = how === 'canceled' ? { confirm: 'false' } : { capture_method: 'manual' };
  const { id } = (await client.charge('pm_1', form)).json;
  await client.post(`/v1/payment_intents/${id}/cancel`);
  return id;
}

/** The book's lines behind those of the first charge. */
async function newLines() {
  const lines = (await client.book()).slice(2);
  return lines.map(({ operation, id, parent, amount, status }) => [
    operation,
    id,
    parent,
    amount,
    status,
  ]);
}

async function typesOf(eventIds: string[]): Promise<string[]> {
  const answers = await Promise.all(eventIds.map((id) => client.get(`/v1/events/${id}`)));
  return answers.map(({ json }) => json.type);
}
