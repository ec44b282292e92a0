import { afterEach, describe, expect, it } from 'vitest';

import { CHARGE, PAYMENT, StripeBench, TIMEOUT } from '#testing/stripe-answers.js';

const bench = new StripeBench();
afterEach(() => bench.close());

const found = (...data: unknown[]) => ({
  object: 'search_result',
  url: '/v1/payment_intents/search',
  has_more: false,
  next_page: null,
  data,
});

describe('a look-up', () => {
  it('asks by our reference while the id is unknown', async () => {
    const { server, processor } = await bench.answering(200, found(PAYMENT));
    expect(await processor.lookUpCharge(CHARGE, null, TIMEOUT)).toEqual({
      kind: 'succeeded',
      processorId: 'pi_1',
      amount: 2500,
      currency: 'myr',
      fee: { amount: 103, currency: 'myr' },
    });
    const [method, target] = server.requests[0]?.head.split(' ') ?? [];
    const url = new URL(target ?? '', server.url);
    expect([method, url.pathname]).toEqual(['GET', '/v1/payment_intents/search']);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      query: "metadata['payonce_intent']:'8c9de1a0-4c1f-8abc-9def-0123456789ab'",
      limit: '10',
      'expand[0]': 'data.latest_charge.balance_transaction',
    });
  });

  it('asks by the id once that is known', async () => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    const outcome = await processor.lookUpCharge(CHARGE, 'pi_1', TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'succeeded', processorId: 'pi_1' });
    expect(server.requests[0]?.head).toContain(
      'GET /v1/payment_intents/pi_1?expand[0]=latest_charge.balance_transaction HTTP/1.1',
    );
  });

  it.each([null, 'pi_1'])('never carries a key, so that it cannot use ours up (%s)', async (id) => {
    const { server, processor } = await bench.answering(200, found());
    await processor.lookUpCharge(CHARGE, id, TIMEOUT);
    expect(server.requests[0]?.head).not.toMatch(/idempotency|content-/i);
    expect(server.requests[0]?.head).toContain('\r\nStripe-Version: 2026-10-28.endive\r\n');
  });

  it('finds nothing', async () => {
    const { processor } = await bench.answering(200, found());
    expect(await processor.lookUpCharge(CHARGE, null, TIMEOUT)).toEqual({ kind: 'not_found' });
  });

  it('finds two under one reference', async () => {
    const { processor } = await bench.answering(200, found(PAYMENT, { ...PAYMENT, id: 'pi_2' }));
    const outcome = await processor.lookUpCharge(CHARGE, null, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'conflict' });
  });

  it.each([
    ['amount', { amount: 2499 }],
    ['currency', { currency: 'sgd' }],
    ['account', { metadata: { ...PAYMENT.metadata, payonce_account: 'other' } }],
  ])('finds one of another %s', async (what, difference) => {
    const { processor } = await bench.answering(200, found({ ...PAYMENT, ...difference }));
    expect(await processor.lookUpCharge(CHARGE, null, TIMEOUT)).toEqual({
      kind: 'conflict',
      detail: `other-object: answered 200, pi_1 tells of another ${what}`,
    });
  });

  it.each([503, 500])(
    'meets a %i, which proves nothing, though it says it was stored',
    async (status) => {
      const { processor } = await bench.answering(status, {}, { 'Idempotent-Replayed': 'true' });
      expect(await processor.lookUpCharge(CHARGE, null, TIMEOUT)).toMatchObject({
        kind: 'unknown',
        reason: 'server_error',
        storedError: false,
        counts: false,
      });
    },
  );

  it('ends at its deadline', async () => {
    const { processor } = await bench.serving(() => {});
    const outcome = await processor.lookUpCharge(CHARGE, 'pi_1', { timeoutMs: 200 });
    expect(outcome).toMatchObject({ kind: 'unknown', reason: 'timeout', counts: false });
  });
});
