import { afterEach, describe, expect, it } from 'vitest';

import { httpAnswer } from '#testing/raw-server.js';
import {
  CAPTURE,
  CHARGE,
  MANUAL,
  PAYMENT,
  REFUND,
  StripeBench,
  TIMEOUT,
  VOID,
} from '#testing/stripe-answers.js';
import type { Processor } from './processor.js';

const bench = new StripeBench();
afterEach(() => bench.close());

describe('what is sent', () => {
  it('is these bytes for this charge, whatever version of the client sends them', async () => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    await processor.charge(CHARGE, TIMEOUT);
    const [sent] = server.requests;
    expect(sent?.bytes.toString()).toBe(
      [
        'POST /v1/payment_intents HTTP/1.1',
        `host: ${new URL(server.url).host}`,
        'connection: keep-alive',
        'Accept: application/json',
        'Authorization: Bearer sk_test_payonce',
        'Stripe-Version: 2026-10-28.endive',
        'Content-Type: application/x-www-form-urlencoded',
        'Idempotency-Key: 8c9de1a0-4c1f-8abc-9def-0123456789ab',
        'User-Agent: Payonce',
        'content-length: 320',
        '',
        'amount=2500&currency=myr&payment_method=pm_123&allowed_payment_method_types[0]=card' +
          '&capture_method=automatic&confirm=true&error_on_requires_action=true' +
          '&metadata[payonce_account]=0198f3a2-7b11-7c3e-b6aa-51d0a8f0a111' +
          '&metadata[payonce_intent]=8c9de1a0-4c1f-8abc-9def-0123456789ab' +
          '&expand[0]=latest_charge.balance_transaction',
      ].join('\r\n'),
    );
  });

  it('differs for a manual charge in one word', async () => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    await processor.charge(CHARGE, TIMEOUT);
    await processor.charge(MANUAL, TIMEOUT);
    const [automatic, manual] = server.requests;
    expect(manual?.body).toBe(
      automatic?.body.replace('capture_method=automatic', 'capture_method=manual'),
    );
    expect(manual?.body).toContain('&capture_method=manual&');
  });

  it.each<[string, (processor: Processor) => Promise<unknown>, string, string, string]>([
    [
      'a capture',
      (processor) => processor.capture(CAPTURE, TIMEOUT),
      '/v1/payment_intents/pi_1/capture',
      '1b1b1b1b-4c1f-8abc-9def-0123456789ab',
      'amount_to_capture=2000&expand[0]=latest_charge.balance_transaction',
    ],
    [
      'a void',
      (processor) => processor.void(VOID, TIMEOUT),
      '/v1/payment_intents/pi_1/cancel',
      '2c2c2c2c-4c1f-8abc-9def-0123456789ab',
      '',
    ],
    [
      'a refund',
      (processor) => processor.refund(REFUND, TIMEOUT),
      '/v1/refunds',
      '3d3d3d3d-4c1f-8abc-9def-0123456789ab',
      'payment_intent=pi_1&amount=1000' +
        '&metadata[payonce_account]=0198f3a2-7b11-7c3e-b6aa-51d0a8f0a111' +
        '&metadata[payonce_intent]=3d3d3d3d-4c1f-8abc-9def-0123456789ab',
    ],
  ])('is these bytes for %s, and the same ones again', async (_what, step, path, key, body) => {
    const { server, processor } = await bench.answering(500, {}, { 'Stripe-Should-Retry': 'true' });
    await step(processor);
    await step(bench.processorAt(server.url));
    const sent = [
      `POST ${path} HTTP/1.1`,
      `host: ${new URL(server.url).host}`,
      'connection: keep-alive',
      'Accept: application/json',
      'Authorization: Bearer sk_test_payonce',
      'Stripe-Version: 2026-10-28.endive',
      'Content-Type: application/x-www-form-urlencoded',
      `Idempotency-Key: ${key}`,
      'User-Agent: Payonce',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
    expect(server.requests.map(({ bytes }) => bytes.toString())).toEqual([sent, sent]);
  });

  it('is the same bytes again on a re-send, by another process and after another answer', async () => {
    const { server, processor } = await bench.answering(500, {}, { 'Stripe-Should-Retry': 'true' });
    await processor.charge(CHARGE, TIMEOUT);
    await processor.charge({ ...CHARGE }, { timeoutMs: 777 });
    const other = bench.processorAt(server.url);
    await other.charge(CHARGE, TIMEOUT);
    expect(server.requests).toHaveLength(3);
    for (const { bytes } of server.requests) expect(bytes).toEqual(server.requests[0]?.bytes);
  });

  it('goes under the version of the API that the claim stored', async () => {
    const { server, processor } = await bench.answering(500, {});
    const apiVersion = '2025-01-27.acacia';
    await processor.charge({ ...CHARGE, apiVersion }, TIMEOUT);
    await processor.capture({ ...CAPTURE, apiVersion }, TIMEOUT);
    await processor.void({ ...VOID, apiVersion }, TIMEOUT);
    await processor.refund({ ...REFUND, apiVersion }, TIMEOUT);
    await processor.lookUpCharge({ ...CHARGE, apiVersion }, null, TIMEOUT);
    await processor.lookUpCapture({ ...CAPTURE, apiVersion }, TIMEOUT);
    await processor.lookUpVoid({ ...VOID, apiVersion }, TIMEOUT);
    await processor.lookUpRefund({ ...REFUND, apiVersion }, null, TIMEOUT);
    await processor.lookUpRefund({ ...REFUND, apiVersion }, 're_1', TIMEOUT);
    expect(server.requests).toHaveLength(9);
    for (const { head } of server.requests) {
      expect(head).toContain('\r\nStripe-Version: 2025-01-27.acacia\r\n');
    }
  });

  it('is nothing at all for a rendering that this release does not know, or knows of another kind', async () => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    const { renderingVersions } = processor;
    expect(renderingVersions).toEqual({ charge: 1, capture: 2, void: 3, refund: 4, hold: 5 });
    const numbers = [0, 99, ...Object.values(renderingVersions)];
    for (const renderingVersion of numbers) {
      const outcomes = [
        renderingVersion !== 1 &&
          renderingVersion !== 5 &&
          processor.charge({ ...CHARGE, renderingVersion }, TIMEOUT),
        renderingVersion !== 2 && processor.capture({ ...CAPTURE, renderingVersion }, TIMEOUT),
        renderingVersion !== 3 && processor.void({ ...VOID, renderingVersion }, TIMEOUT),
        renderingVersion !== 4 && processor.refund({ ...REFUND, renderingVersion }, TIMEOUT),
      ];
      for (const outcome of outcomes.filter((each) => each !== false)) {
        expect(await outcome).toMatchObject({ kind: 'unknown', reason: 'refused', counts: false });
      }
    }
    expect(server.connections()).toBe(0);
  });

  it.each([500, 409, 429])('is sent once when the answer is %i', async (status) => {
    const { server, processor } = await bench.answering(status, '{}', {
      'Stripe-Should-Retry': 'true',
    });
    await processor.charge(CHARGE, TIMEOUT);
    expect(server.requests).toHaveLength(1);
  });
});

describe('our account at the processor', () => {
  it('is asked once and remembered', async () => {
    const { server, processor } = await bench.answering(200, { object: 'account', id: 'acct_1' });
    expect(await processor.account(TIMEOUT)).toBe('acct_1');
    expect(await processor.account(TIMEOUT)).toBe('acct_1');
    expect(server.requests.map(({ head }) => head.split(' HTTP')[0])).toEqual(['GET /v1/account']);
  });

  it('is null while it cannot be asked, and asked again', async () => {
    const { processor } = await bench.serving((socket, { nth }) => {
      if (nth === 1) socket.write(httpAnswer(500, '{}'));
      else if (nth === 2) socket.write(httpAnswer(200, '{"object":"account","id":"a b"}'));
      else socket.write(httpAnswer(200, '{"object":"account","id":"acct_1"}'));
    });
    expect(await processor.account(TIMEOUT)).toBeNull();
    expect(await processor.account(TIMEOUT)).toBeNull();
    expect(await processor.account(TIMEOUT)).toBe('acct_1');
  });
});
