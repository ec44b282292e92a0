import { afterEach, describe, expect, it } from 'vitest';

import {
  CHARGE,
  PAYMENT,
  REFUND,
  REFUNDED,
  StripeBench,
  TIMEOUT,
} from '#testing/stripe-answers.js';
import type { Processor } from './processor.js';

const bench = new StripeBench();
afterEach(() => bench.close());

const DISPUTE = {
  id: 'du_1',
  object: 'dispute',
  amount: 2600,
  currency: 'myr',
  status: 'needs_response',
  created: 1_800_000_000,
  payment_intent: PAYMENT,
};

const readPayment = (processor: Processor) => processor.readPayment('pi_1', TIMEOUT);
const readRefund = (processor: Processor) => processor.readRefund('re_1', TIMEOUT);
const readDispute = (processor: Processor) => processor.readDispute('du_1', TIMEOUT);

const READS: [what: string, read: (processor: Processor) => Promise<unknown>, body: object][] = [
  ['payment', readPayment, PAYMENT],
  ['refund', readRefund, REFUNDED],
  ['dispute', readDispute, DISPUTE],
];

const whose = { accountId: CHARGE.accountId, intent: CHARGE.processorKey };
const nobodys = { accountId: null, intent: null };
const nonsense = { kind: 'unknown', reason: 'nonsense', storedError: false, counts: false };

describe('a payment is read by its id', () => {
  it('as it stands, whosever it is', async () => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    expect(await readPayment(processor)).toEqual({
      kind: 'found',
      processorId: 'pi_1',
      ...whose,
      status: 'succeeded',
      amount: 2500,
      amountReceived: 2500,
      currency: 'myr',
    });
    expect(server.requests[0]?.head).toContain('GET /v1/payment_intents/pi_1 HTTP/1.1');
    expect(server.requests[0]?.head).not.toMatch(/idempotency|content-/i);
  });

  it.each([[{}], [null], [{ payonce_account: 'x', payonce_intent: '../x' }]])(
    'and is nobody of ours with the metadata %j',
    async (metadata) => {
      const body = { ...PAYMENT, metadata, status: 'requires_capture', amount_received: 0 };
      const { processor } = await bench.answering(200, body);
      expect(await readPayment(processor)).toMatchObject({
        kind: 'found',
        ...nobodys,
        status: 'requires_capture',
        amountReceived: 0,
      });
    },
  );

  it.each([
    ['status', { status: 7 }],
    ['amount', { amount: '2500' }],
    ['amount received', { amount_received: undefined }],
    ['currency', { currency: 'MYR' }],
    ['object', { object: 'charge' }],
    ['id', { id: 'pi_2' }],
  ])('and not without its %s', async (_what, changes) => {
    const { processor } = await bench.answering(200, { ...PAYMENT, ...changes });
    expect(await readPayment(processor)).toMatchObject(nonsense);
  });
});

describe('a refund is read by its id', () => {
  it.each([
    ['pending', 'pending'],
    ['requires_action', 'pending'],
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
  ])('%s is %s', async (status, told) => {
    const { server, processor } = await bench.answering(200, {
      ...REFUNDED,
      status,
      failure_reason: 'lost_or_stolen_card',
    });
    expect(await readRefund(processor)).toEqual({
      kind: 'found',
      processorId: 're_1',
      accountId: REFUND.accountId,
      intent: REFUND.processorKey,
      status: told,
      amount: 1000,
      currency: 'myr',
      paymentId: 'pi_1',
      failureReason: 'lost_or_stolen_card',
    });
    expect(server.requests[0]?.head).toContain('GET /v1/refunds/re_1 HTTP/1.1');
  });

  it('and may be of a charge that belongs to no payment', async () => {
    const { processor } = await bench.answering(200, { ...REFUNDED, payment_intent: null });
    expect(await readRefund(processor)).toMatchObject({ paymentId: null, failureReason: null });
  });

  it.each([
    ['status', { status: 'delighted' }],
    ['status of a name that every object has', { status: 'constructor' }],
    ['amount', { amount: -1 }],
    ['payment', { payment_intent: 'ch_1' }],
  ])('and not without its %s', async (_what, changes) => {
    const { processor } = await bench.answering(200, { ...REFUNDED, ...changes });
    expect(await readRefund(processor)).toMatchObject(nonsense);
  });
});

describe('a dispute is read by its id', () => {
  it.each([
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['appeal_needs_response', 'open'],
    ['appeal_under_review', 'open'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['warning_needs_response', 'inquiry'],
    ['warning_under_review', 'inquiry'],
    ['warning_closed', 'inquiry'],
  ])('%s is %s, with the payment that it is about', async (status, told) => {
    const { server, processor } = await bench.answering(200, { ...DISPUTE, status });
    expect(await readDispute(processor)).toEqual({
      kind: 'found',
      processorId: 'du_1',
      ...whose,
      status: told,
      amount: 2600,
      currency: 'myr',
      paymentId: 'pi_1',
      openedAt: new Date('2027-01-15T08:00:00Z'),
    });
    expect(server.requests[0]?.head).toContain(
      'GET /v1/disputes/du_1?expand[0]=payment_intent HTTP/1.1',
    );
  });

  it('and may be of a charge that belongs to no payment', async () => {
    const { processor } = await bench.answering(200, { ...DISPUTE, payment_intent: null });
    expect(await readDispute(processor)).toMatchObject({ paymentId: null, ...nobodys });
  });

  it.each([
    ['a status that is not known', { status: 'delighted' }],
    ['a payment that is not shown', { payment_intent: 'pi_1' }],
    ['a payment of another kind', { payment_intent: { ...PAYMENT, id: 'ch_1' } }],
    ['no time', { created: null }],
    ['a time beyond all dates', { created: 9_000_000_000_000 }],
    ['a part of a minor unit', { amount: 0.5 }],
  ])('and not with %s', async (_what, changes) => {
    const { processor } = await bench.answering(200, { ...DISPUTE, ...changes });
    expect(await readDispute(processor)).toMatchObject(nonsense);
  });
});

describe.each(READS)('what a read of a %s meets', (_what, read, body) => {
  const error = { type: 'invalid_request_error', code: 'resource_missing', message: 'None.' };

  it('is no such thing', async () => {
    const { processor } = await bench.answering(404, { error });
    expect(await read(processor)).toEqual({ kind: 'not_found' });
  });

  it('is a server error, though the thing is in it', async () => {
    const { processor } = await bench.answering(500, body);
    expect(await read(processor)).toMatchObject({ kind: 'unknown', reason: 'server_error' });
  });

  it('is a refusal of our key', async () => {
    const { processor } = await bench.answering(401, { error });
    expect(await read(processor)).toMatchObject({ kind: 'unknown', reason: 'refused' });
  });

  it.each(['<html>', '[]', '7', ''])('is nonsense: %j', async (text) => {
    const { processor } = await bench.answering(200, text);
    expect(await read(processor)).toMatchObject(nonsense);
  });

  it('is a connection that breaks', async () => {
    const { processor } = await bench.serving((socket) => socket.destroy());
    const reset = { kind: 'unknown', reason: 'reset', counts: false };
    expect(await read(processor)).toMatchObject(reset);
  });
});

it.each(['', '..', 'pi_1/../../refunds', 'pi_1?x=1', 'ch_1', 'evt_1'])(
  'the id %j is nobody: nothing is asked',
  async (id) => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    expect(await processor.readPayment(id, TIMEOUT)).toEqual({ kind: 'not_found' });
    expect(await processor.readRefund(id, TIMEOUT)).toEqual({ kind: 'not_found' });
    expect(await processor.readDispute(id, TIMEOUT)).toEqual({ kind: 'not_found' });
    expect(server.connections()).toBe(0);
  },
);
