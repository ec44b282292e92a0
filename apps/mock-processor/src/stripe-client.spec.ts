import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockClient } from '#testing/mock-client.js';
import { startMockProcessor, type Mock } from './server.js';

/** The mock as its users see it: through Stripe's own client, unchanged. */
let folder: string;
let mock: Mock;
let stripe: Stripe;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-stripe-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  stripe = clientWith('sk_test_mock');
});

afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

describe('payment intents', () => {
  test('are charged with everything expanded that was asked for', async () => {
    const intent = await stripe.paymentIntents.create(
      charge({ expand: ['latest_charge.balance_transaction'] }),
      { idempotencyKey: 'sc-1' },
    );
    const latest = intent.latest_charge as Stripe.Charge;
    const transaction = latest.balance_transaction as Stripe.BalanceTransaction;
    expect(intent).toMatchObject({ amount: 2500, amount_received: 2500, currency: 'myr' });
    expect(intent).toMatchObject({ status: 'succeeded', metadata: { payonce_intent: 'i-1' } });
    expect(transaction).toMatchObject({ amount: 2500, fee: 103, net: 2397, source: latest.id });
    expect(intent.lastResponse).toMatchObject({ idempotencyKey: 'sc-1', statusCode: 200 });
    expect(intent.lastResponse.requestId).toMatch(/^req_/);
  });

  test('are replayed under the same key and refused under it with other parameters', async () => {
    const first = await stripe.paymentIntents.create(charge(), { idempotencyKey: 'sc-2' });
    const again = await stripe.paymentIntents.create(charge(), { idempotencyKey: 'sc-2' });
    expect(again).toEqual(first);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    await expect(
      stripe.paymentIntents.create(charge({ amount: 1 }), { idempotencyKey: 'sc-2' }),
    ).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
    await expect(
      stripe.refunds.create({ payment_intent: first.id }, { idempotencyKey: 'sc-2' }),
    ).rejects.toMatchObject({ type: 'StripeIdempotencyError' });
  });

  test('tell the same metadata and charge by id, by search and in the list', async () => {
    const metadata = { payonce_intent: "it's 1", other: 'x' };
    const { id } = await stripe.paymentIntents.create(charge({ metadata }));
    const expand = ['latest_charge.balance_transaction'];
    const byId = await stripe.paymentIntents.retrieve(id, { expand });
    const query = "metadata['payonce_intent']:'it\\'s 1'";
    const found = await stripe.paymentIntents.search({ query, expand: [`data.${expand[0]}`] });
    expect(found.data).toEqual([{ ...byId, lastResponse: undefined }].map(bare));
    const listed = await stripe.paymentIntents.list({ limit: 1 });
    expect(listed.data[0]).toMatchObject({ id, metadata, latest_charge: expect.any(String) });
    expect(listed.has_more).toBe(true);
  });

  test('are listed page by page, newest first, each once', async () => {
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) made.push((await stripe.paymentIntents.create(charge())).id);
    const seen: string[] = [];
    for await (const { id } of stripe.paymentIntents.list({ limit: 3 })) {
      seen.push(id);
      if (seen.length === 7) break;
    }
    expect(seen).toEqual(made.toReversed());
    const before = await stripe.paymentIntents.list({ ending_before: made[4]!, limit: 100 });
    expect(before.data.map(({ id }) => id)).toEqual([made[6], made[5]]);
  });

  test('can be made first and confirmed later', async () => {
    const { id, status } = await stripe.paymentIntents.create(
      charge({ confirm: false, payment_method: undefined }),
    );
    expect(status).toBe('requires_payment_method');
    const confirmed = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    expect(confirmed.status).toBe('succeeded');
  });
});

describe('capture, cancel and refund', () => {
  test('an authorization is captured in part, and the fee is that of the part', async () => {
    const { id } = await stripe.paymentIntents.create(charge({ capture_method: 'manual' }));
    await expect(
      stripe.paymentIntents.capture(id, { amount_to_capture: 2501 }),
    ).rejects.toMatchObject({ statusCode: 400, code: 'amount_too_large' });
    const captured = await stripe.paymentIntents.capture(id, { amount_to_capture: 1000 });
    expect(captured).toMatchObject({ status: 'succeeded', amount: 2500, amount_received: 1000 });
    await expect(stripe.paymentIntents.capture(id)).rejects.toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
    expect(await linesOf(id)).toEqual([
      ['authorize', 2500, 'requires_capture'],
      ['capture', 1000, 'succeeded'],
      ['fee', 59, 'succeeded'],
    ]);
  });

  test('an authorization is voided once, and a charge never', async () => {
    const authorized = await stripe.paymentIntents.create(charge({ capture_method: 'manual' }));
    expect(authorized).toMatchObject({ status: 'requires_capture', amount_capturable: 2500 });
    const canceled = await stripe.paymentIntents.cancel(authorized.id);
    expect(canceled).toMatchObject({ status: 'canceled', amount_capturable: 0 });
    expect(await linesOf(authorized.id)).toEqual([
      ['authorize', 2500, 'requires_capture'],
      ['void', 2500, 'canceled'],
    ]);
    const charged = await stripe.paymentIntents.create(charge());
    for (const id of [authorized.id, charged.id]) {
      await expect(stripe.paymentIntents.cancel(id)).rejects.toMatchObject({
        statusCode: 400,
        code: 'payment_intent_unexpected_state',
      });
    }
  });

  test('refunds never pass what was captured', async () => {
    const { id } = await stripe.paymentIntents.create(charge());
    const part = await stripe.refunds.create({ payment_intent: id, amount: 1000 });
    expect(part).toMatchObject({ status: 'succeeded', amount: 1000, payment_intent: id });
    await expect(stripe.refunds.create({ payment_intent: id, amount: 1501 })).rejects.toMatchObject(
      { statusCode: 400, param: 'amount' },
    );
    const rest = await stripe.refunds.create({ payment_intent: id });
    expect(rest.amount).toBe(1500);
    await expect(stripe.refunds.create({ payment_intent: id })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    });
    const { data } = await stripe.refunds.list({ payment_intent: id });
    expect(data.map((refund) => refund.id)).toEqual([rest.id, part.id]);
    const transaction = await stripe.balanceTransactions.retrieve(
      rest.balance_transaction as string,
    );
    expect(transaction).toMatchObject({ amount: -1500, fee: 0, net: -1500, type: 'refund' });
  });

  test.each([
    ['pm_test_capture_refused', 'capture'],
    ['pm_test_void_refused', 'cancel'],
  ] as const)('%s is authorized and then refuses for good', async (method, step) => {
    const { id } = await stripe.paymentIntents.create(
      charge({ capture_method: 'manual', payment_method: method }),
    );
    for (let n = 0; n < 2; n += 1) {
      await expect(
        stripe.paymentIntents[step](id, {}, { idempotencyKey: `sc-${method}` }),
      ).rejects.toMatchObject({ type: 'StripeCardError', statusCode: 402 });
    }
    const { status } = await stripe.paymentIntents.retrieve(id);
    expect(status).toBe('requires_capture');
  });

  test('pm_test_refund_refused is charged and never refunded', async () => {
    const { id } = await stripe.paymentIntents.create(
      charge({ payment_method: 'pm_test_refund_refused' }),
    );
    await expect(stripe.refunds.create({ payment_intent: id })).rejects.toMatchObject({
      statusCode: 402,
    });
    expect((await linesOf(id)).map(([operation]) => operation)).toEqual(['charge', 'fee']);
  });

  test('a pending refund succeeds later, a failing one gives the money back', async () => {
    const client = new MockClient(mock.url);
    const refunds: Stripe.Refund[] = [];
    for (const method of ['pm_card_pendingRefund', 'pm_card_refundFail']) {
      const intent = await stripe.paymentIntents.create(charge({ payment_method: method }));
      refunds.push(await stripe.refunds.create({ payment_intent: intent.id, amount: 700 }));
    }
    expect(refunds.map(({ status }) => status)).toEqual(['pending', 'succeeded']);
    await client.advance(60_000);
    const later = await Promise.all(refunds.map(({ id }) => stripe.refunds.retrieve(id)));
    expect(later.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    const failed = (await client.book()).filter((line) => line.operation === 'refund_failed');
    expect(failed).toMatchObject([{ parent: refunds[1]?.id, amount: 700, status: 'failed' }]);
    const again = await stripe.refunds.create({
      payment_intent: refunds[1]!.payment_intent as string,
    });
    expect(again.amount).toBe(2500);
  });
});

describe('events', () => {
  test('tell each change with the object as it then was', async () => {
    const { id } = await stripe.paymentIntents.create(charge(), { idempotencyKey: 'sc-events' });
    await stripe.refunds.create({ payment_intent: id, amount: 1 });
    const { data } = await stripe.events.list({ limit: 5 });
    expect(data.map(({ type }) => type)).toEqual([
      'charge.refunded',
      'refund.created',
      'payment_intent.succeeded',
      'charge.succeeded',
      'payment_intent.created',
    ]);
    expect(data[4]?.data.object).toMatchObject({ id, status: 'requires_confirmation' });
    expect(data[3]?.data.object).toMatchObject({ payment_intent: id, amount_refunded: 0 });
    expect(data[2]?.request?.idempotency_key).toBe('sc-events');
    expect(await stripe.events.retrieve(data[2]!.id)).toMatchObject(bare(data[2]!));
    const some = await stripe.events.list({ type: 'refund.*', limit: 1 });
    expect(some.data[0]?.type).toBe('refund.created');
  });
});

describe('errors', () => {
  test('a key that is not a test key is refused', async () => {
    for (const key of ['sk_live_1', 'nonsense']) {
      await expect(clientWith(key).paymentIntents.create(charge())).rejects.toMatchObject({
        type: 'StripeAuthenticationError',
        statusCode: 401,
      });
    }
  });

  test('what is not there is a 404, and what is no payment method a 400', async () => {
    await expect(stripe.paymentIntents.retrieve('pi_none')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    await expect(
      stripe.paymentIntents.create(charge({ payment_method: 'tok_visa' })),
    ).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing', param: 'payment_method' });
  });

  test('a parameter that Stripe does not know is refused by name', async () => {
    const params = { ...charge(), amuont: 3 } as Stripe.PaymentIntentCreateParams;
    await expect(stripe.paymentIntents.create(params)).rejects.toMatchObject({
      code: 'parameter_unknown',
      param: 'amuont',
    });
  });
});

function clientWith(key: string): Stripe {
  const { port } = mock;
  const where = { host: '127.0.0.1', port, protocol: 'http' as const };
  return new Stripe(key, { ...where, telemetry: false, maxNetworkRetries: 0 });
}

function charge(
  more: { [P in keyof Stripe.PaymentIntentCreateParams]?: unknown } = {},
): Stripe.PaymentIntentCreateParams {
  return {
    amount: 2500,
    currency: 'myr',
    confirm: true,
    payment_method: 'pm_123',
    error_on_requires_action: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    metadata: { payonce_intent: 'i-1' },
    ...more,
  } as Stripe.PaymentIntentCreateParams;
}

/** Without what the client itself adds to an object. */
function bare<T extends object>(object: T): Record<string, unknown> {
  return JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
}

async function linesOf(intentId: string): Promise<[string, number, string][]> {
  const lines = await new MockClient(mock.url).book();
  return lines
    .filter(({ id, parent }) => id === intentId || parent === intentId)
    .map(({ operation, amount, status }) => [operation, amount, status]);
}
