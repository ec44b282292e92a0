import { afterEach, describe, expect, it } from 'vitest';

import { systemClock } from '#seams/clock.js';
import { httpAnswer } from '#testing/raw-server.js';
import { REFUND, REFUNDED, StripeBench, TIMEOUT } from '#testing/stripe-answers.js';

const bench = new StripeBench();
afterEach(() => bench.close());

const page = (data: unknown[], has_more: unknown = false) => ({ object: 'list', data, has_more });
const other = (nth: number) => ({
  ...REFUNDED,
  id: `re_other_${nth}`,
  metadata: { payonce_account: REFUND.accountId, payonce_intent: `other-${nth}` },
});
const found = { kind: 'succeeded', processorId: 're_1', amount: 1000, currency: 'myr', fee: null };
const nonsense = { kind: 'unknown', reason: 'nonsense', counts: false };

/** A server that tells these pages one after the other, and the last of them for ever. */
function telling(...pages: unknown[]) {
  return bench.serving((socket, { nth }) => {
    const body = pages[nth - 1] ?? pages.at(-1);
    socket.write(httpAnswer(200, typeof body === 'string' ? body : JSON.stringify(body)));
  });
}

describe('a refund is looked for among those of its payment', () => {
  it('by the payment, as many as a page can hold, under no key', async () => {
    const { server, processor } = await telling(page([other(1), REFUNDED, other(2)]));
    expect(await processor.lookUpRefund(REFUND, null, TIMEOUT)).toEqual(found);
    const [sent, ...more] = server.requests;
    expect(more).toEqual([]);
    const [method, target] = sent?.head.split(' ') ?? [];
    const url = new URL(target ?? '', server.url);
    expect([method, url.pathname]).toEqual(['GET', '/v1/refunds']);
    expect(Object.fromEntries(url.searchParams)).toEqual({ payment_intent: 'pi_1', limit: '100' });
    expect(sent?.head).not.toMatch(/idempotency|content-/i);
    expect(sent?.head).toContain('\r\nStripe-Version: 2026-10-28.endive\r\n');
  });

  it('page after page, to the last one', async () => {
    const { server, processor } = await telling(
      page([other(1), other(2)], true),
      page([other(3), REFUNDED], true),
      page([other(4)]),
    );
    expect(await processor.lookUpRefund(REFUND, null, TIMEOUT)).toEqual(found);
    expect(server.requests.map(({ head }) => head.split(' ')[1])).toEqual([
      '/v1/refunds?payment_intent=pi_1&limit=100',
      '/v1/refunds?payment_intent=pi_1&limit=100&starting_after=re_other_2',
      '/v1/refunds?payment_intent=pi_1&limit=100&starting_after=re_1',
    ]);
  });

  it.each([
    ['on one page', page([]), page([])],
    ['on any of its pages', page([other(1)], true), page([other(2)])],
  ])('and is not there: %s', async (_what, ...pages) => {
    const { processor } = await telling(...pages);
    expect(await processor.lookUpRefund(REFUND, null, TIMEOUT)).toEqual({ kind: 'not_found' });
  });

  it('and is there twice, on pages of their own', async () => {
    const { processor } = await telling(
      page([REFUNDED], true),
      page([{ ...REFUNDED, id: 're_2' }]),
    );
    const outcome = await processor.lookUpRefund(REFUND, null, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'conflict' });
  });

  it('and is one, however often a list tells it', async () => {
    const { processor } = await telling(page([REFUNDED, other(1)], true), page([REFUNDED]));
    expect(await processor.lookUpRefund(REFUND, null, TIMEOUT)).toEqual(found);
  });

  it.each<[string, object]>([
    ['amount', { amount: 999 }],
    ['currency', { currency: 'sgd' }],
    ['account', { metadata: { ...REFUNDED.metadata, payonce_account: 'other' } }],
    ['payment', { payment_intent: 'pi_2' }],
  ])('and is one of another %s', async (what, difference) => {
    const { processor } = await telling(page([other(1), { ...REFUNDED, ...difference }]));
    expect(await processor.lookUpRefund(REFUND, null, TIMEOUT)).toEqual({
      kind: 'conflict',
      detail: `other-object: answered 200, re_1 tells of another ${what}`,
    });
  });
});

describe('a list of refunds that cannot be read as a whole proves nothing', () => {
  it.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['JSON of two meanings', '{"object":"list","data":[],"data":[],"has_more":false}'],
    ['another object', { ...page([]), object: 'search_result' }],
    ['no list', { ...page([]), data: {} }],
    ['no word of more', page([], 'false')],
    ['an empty page of more', page([], true)],
    ['one that is no refund', page([REFUNDED, { ...REFUNDED, object: 'charge' }])],
    ['one without an id', page([REFUNDED, { ...REFUNDED, id: 7 }])],
    ['one without metadata', page([REFUNDED, { ...REFUNDED, metadata: undefined }])],
  ])('%s, first or later', async (_what, odd) => {
    for (const pages of [[odd], [page([REFUNDED], true), odd]]) {
      const { processor } = await telling(...pages);
      const outcome = await processor.lookUpRefund(REFUND, null, TIMEOUT);
      expect(outcome).toMatchObject(nonsense);
    }
  });

  it('one that never ends, of which only so much is read', async () => {
    const { server, processor } = await telling(page([other(1)], true));
    const outcome = await processor.lookUpRefund(REFUND, null, TIMEOUT);
    expect(outcome).toMatchObject(nonsense);
    expect(server.requests).toHaveLength(10);
  });

  it('a later page that fails', async () => {
    const { processor } = await bench.serving((socket, { nth }) => {
      if (nth === 1) socket.write(httpAnswer(200, JSON.stringify(page([REFUNDED], true))));
      else socket.write(httpAnswer(500, '{}'));
    });
    const outcome = await processor.lookUpRefund(REFUND, null, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'unknown', reason: 'server_error', counts: false });
  });

  it('a later page for which the one deadline of all leaves no time', async () => {
    let nowMs = 0;
    const { server } = await bench.serving((socket, { nth }) => {
      nowMs += TIMEOUT.timeoutMs;
      socket.write(httpAnswer(200, JSON.stringify(page([other(nth), REFUNDED], true))));
    });
    const processor = bench.processorAt(server.url, { ...systemClock, monotonicMs: () => nowMs });
    const outcome = await processor.lookUpRefund(REFUND, null, TIMEOUT);
    expect(outcome).toEqual({ kind: 'not_sent', reason: 'deadline', retryAfterSeconds: null });
    expect(server.requests).toHaveLength(1);
  });
});
