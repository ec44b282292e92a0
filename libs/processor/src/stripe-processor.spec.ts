import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';

import { systemClock } from '#seams/clock.js';
import {
  httpAnswer,
  startRawServer,
  type RawRequest,
  type RawServer,
} from '#testing/raw-server.js';
import type { ChargeRequest, Processor } from './processor.js';
import { STRIPE_API_VERSION, stripeProcessor } from './stripe-processor.js';

const REQUEST: ChargeRequest = {
  processorKey: '8c9de1a0-4c1f-8abc-9def-0123456789ab',
  accountId: '0198f3a2-7b11-7c3e-b6aa-51d0a8f0a111',
  amount: 2500,
  currency: 'myr',
  paymentMethod: 'pm_123',
  apiVersion: STRIPE_API_VERSION,
  renderingVersion: 1,
};

const PAYMENT = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 2500,
  amount_received: 2500,
  currency: 'myr',
  status: 'succeeded',
  metadata: { payonce_account: REQUEST.accountId, payonce_intent: REQUEST.processorKey },
  last_payment_error: null,
  latest_charge: {
    id: 'ch_1',
    balance_transaction: { id: 'txn_1', fee: 103, currency: 'myr' },
  },
};
const TIMEOUT = { timeoutMs: 5000 };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function setup(answer: (socket: Socket, request: RawRequest) => void) {
  const server = await startRawServer(answer);
  const processor = processorAt(server.url);
  open.push(processor, server);
  return { server, processor };
}

function processorAt(apiBase: string): Processor {
  const secretKey = 'sk_test_payonce';
  return stripeProcessor({ name: 'mock', secretKey, apiBase, clock: systemClock });
}

const answering = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  setup((socket) =>
    socket.write(
      httpAnswer(status, typeof body === 'string' ? body : JSON.stringify(body), headers),
    ),
  );

describe('what is sent', () => {
  it('is these bytes for this charge, whatever version of the client sends them', async () => {
    const { server, processor } = await answering(200, PAYMENT);
    await processor.charge(REQUEST, TIMEOUT);
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

  it('is the same bytes again on a re-send, by another process and after another answer', async () => {
    const { server, processor } = await answering(500, {}, { 'Stripe-Should-Retry': 'true' });
    await processor.charge(REQUEST, TIMEOUT);
    await processor.charge({ ...REQUEST }, { timeoutMs: 777 });
    const other = processorAt(server.url);
    open.push(other);
    await other.charge(REQUEST, TIMEOUT);
    expect(server.requests).toHaveLength(3);
    for (const { bytes } of server.requests) expect(bytes).toEqual(server.requests[0]?.bytes);
  });

  it('goes under the version of the API that the claim stored', async () => {
    const { server, processor } = await answering(200, PAYMENT);
    await processor.charge({ ...REQUEST, apiVersion: '2025-01-27.acacia' }, TIMEOUT);
    expect(server.requests[0]?.head).toContain('\r\nStripe-Version: 2025-01-27.acacia\r\n');
  });

  it('is nothing at all for a rendering that this release does not know', async () => {
    const { server, processor } = await answering(200, PAYMENT);
    const outcome = await processor.charge({ ...REQUEST, renderingVersion: 99 }, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'unknown', reason: 'refused', counts: false });
    expect(server.connections()).toBe(0);
  });

  it.each([500, 409, 429])('is sent once when the answer is %i', async (status) => {
    const { server, processor } = await answering(status, '{}', { 'Stripe-Should-Retry': 'true' });
    await processor.charge(REQUEST, TIMEOUT);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a good answer', () => {
  it('is a charge, with the fee of its balance transaction', async () => {
    const { processor } = await answering(200, PAYMENT);
    expect(await processor.charge(REQUEST, TIMEOUT)).toEqual({
      kind: 'succeeded',
      processorId: 'pi_1',
      amount: 2500,
      currency: 'myr',
      fee: { amount: 103, currency: 'myr' },
    });
  });

  it.each([
    ['in another currency', { fee: 103, currency: 'usd' }],
    ['in a text', { fee: '103', currency: 'myr' }],
    ['not expanded', 'txn_1'],
    ['absent', null],
  ])('is a charge without a fee when the fee is %s', async (_what, balance_transaction) => {
    const body = { ...PAYMENT, latest_charge: { id: 'ch_1', balance_transaction } };
    const { processor } = await answering(200, body);
    const outcome = await processor.charge(REQUEST, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'succeeded', fee: null });
  });

  it('is read on a connection that is used again', async () => {
    const { server, processor } = await answering(200, PAYMENT);
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
      await setImmediate(); // a connection is free again one turn after its answer
    }
    expect(server.requests).toHaveLength(3);
    expect(server.connections()).toBe(1);
  });

  it('is read behind interim answers', async () => {
    const { processor } = await setup((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
      socket.write(httpAnswer(200, JSON.stringify(PAYMENT)));
    });
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
  });
});

describe('an answer that is no answer is unknown, never a success or a failure', () => {
  const nonsense = { kind: 'unknown', reason: 'nonsense', counts: true, storedError: false };
  const text = JSON.stringify(PAYMENT);

  it.each([
    ['an empty 200', ''],
    ['HTML', '<html><body>Service unavailable</body></html>'],
    ['truncated JSON', text.slice(0, -20)],
    ['a bare text', '"payment_intent"'],
    ['a bare number', '7'],
    ['null', 'null'],
    ['a list', `[${text}]`],
    ['another currency', text.replaceAll('"myr"', '"usd"')],
    ['the currency in capitals', text.replace('"myr"', '"MYR"')],
    ['another amount', text.replaceAll('2500', '2501')],
    ['another amount received', text.replace('"amount_received":2500', '"amount_received":2499')],
    ['another reference', text.replace(REQUEST.processorKey, REQUEST.accountId)],
    ['another account', text.replace(REQUEST.accountId, REQUEST.processorKey)],
    ['no metadata', JSON.stringify({ ...PAYMENT, metadata: null })],
    ['the amount as a text', text.replace('"amount":2500', '"amount":"2500"')],
    ['the amount as a fraction', text.replace('"amount":2500', '"amount":2500.5')],
    ['the amount rounded by a double', text.replace('"amount":2500', '"amount":9007199254740993')],
    ['the amount twice', text.replace('"amount":2500', '"amount":2500,"amount":2500')],
    ['the status twice', text.replace('{', '{"status":"canceled",')],
    ['no id', JSON.stringify({ ...PAYMENT, id: undefined })],
    ['an id that is a path', text.replace('"pi_1"', '"pi_1/../../refunds"')],
    ['another object', text.replace('"payment_intent",', '"charge",')],
    ['an unknown status', text.replace('"succeeded"', '"delighted"')],
    ['an authorization only', text.replace('"succeeded"', '"requires_capture"')],
    ['bytes that are not UTF-8', Buffer.from('7b2261223a22ff227d', 'hex')],
  ])('%s', async (_what, body) => {
    const { server, processor } = await setup((socket) => socket.write(httpAnswer(200, body)));
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject(nonsense);
    expect(server.requests).toHaveLength(1);
  });

  it('10 MB of body, of which only the first is read', async () => {
    const { processor } = await setup((socket) =>
      socket.write(httpAnswer(200, Buffer.alloc(10_000_000, ' '))),
    );
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject(nonsense);
  });

  it('chunks without an end', async () => {
    const { processor } = await setup((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const pour = () => {
        if (!socket.destroyed) socket.write(`10000\r\n${' '.repeat(0x10000)}\r\n`, () => pour());
      };
      pour();
    });
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject(nonsense);
  });

  it('what is not HTTP', async () => {
    const { processor } = await setup((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n\r\n'));
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject(nonsense);
  });

  it('headers without an end', async () => {
    const { processor } = await setup((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${'X-Filler: 0123456789\r\n'.repeat(5000)}`),
    );
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject(nonsense);
  });

  it.each([502, 503, 504])('an HTML %i is a server error that no key keeps', async (status) => {
    const { processor } = await answering(status, '<html>', { 'Retry-After': '7' });
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject({
      kind: 'unknown',
      reason: 'server_error',
      storedError: false,
      counts: false,
      retryAfterSeconds: 7,
    });
  });

  it('a redirect, which is not followed', async () => {
    const { server, processor } = await answering(307, '', { Location: '/v1/elsewhere' });
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject(nonsense);
    expect(server.requests).toHaveLength(1);
  });
});

describe('the deadline covers everything', () => {
  const timedOut = { kind: 'unknown', reason: 'timeout', counts: true };
  const SHORT = { timeoutMs: 300 };

  async function chargeTimed(processor: Processor) {
    const from = performance.now();
    const outcome = await processor.charge(REQUEST, SHORT);
    return { outcome, elapsedMs: performance.now() - from };
  }

  it.each<[string, (socket: Socket) => void]>([
    ['no answer', () => {}],
    ['half of the headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-')],
    ['half of the body', (socket) => socket.write(httpAnswer(200, '{}').subarray(0, -1))],
    [
      'a byte now and then',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
        const timer = setInterval(() => socket.write(' '), 20);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    [
      'interim answers now and then',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('%s: the outcome is unknown', async (_what, answer) => {
    const { server, processor } = await setup(answer);
    const { outcome, elapsedMs } = await chargeTimed(processor);
    expect(outcome).toMatchObject(timedOut);
    expect(elapsedMs).toBeGreaterThan(290);
    expect(elapsedMs).toBeLessThan(2000);
    expect(server.requests).toHaveLength(1);
  });

  it('a connection that does not come about: not sent', async () => {
    // A server that takes the connection and never speaks TLS.
    const server = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const processor = processorAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    open.push(processor, { close: () => new Promise((done) => server.close(() => done())) });
    const { outcome, elapsedMs } = await chargeTimed(processor);
    expect(outcome).toEqual({ kind: 'not_sent', reason: 'deadline', retryAfterSeconds: null });
    expect(elapsedMs).toBeLessThan(2000);
  });

  it('no time left: not sent, and not even connected', async () => {
    const { server, processor } = await answering(200, PAYMENT);
    for (const timeoutMs of [0, -5, 0.4, NaN]) {
      const outcome = await processor.charge(REQUEST, { timeoutMs });
      expect(outcome).toMatchObject({ kind: 'not_sent', reason: 'deadline' });
    }
    expect(server.connections()).toBe(0);
  });

  it('a queue behind 64 busy connections: not sent, also not later', async () => {
    const busy: Socket[] = [];
    const { server, processor } = await setup((socket) => busy.push(socket));
    const holding = Array.from({ length: 64 }, () => processor.charge(REQUEST, TIMEOUT));
    await expect.poll(() => server.requests.length).toBe(64);
    expect(await processor.charge(REQUEST, SHORT)).toMatchObject({
      kind: 'not_sent',
      reason: 'deadline',
    });
    for (const socket of busy) socket.write(httpAnswer(200, JSON.stringify(PAYMENT)));
    await Promise.all(holding);
    // One more round trip, so that the queued request has had its chance to be written.
    const last = processor.charge(REQUEST, TIMEOUT);
    await expect.poll(() => server.requests.length).toBe(65);
    busy.at(-1)?.write(httpAnswer(200, JSON.stringify(PAYMENT)));
    expect(await last).toMatchObject({ kind: 'succeeded' });
    expect(server.requests).toHaveLength(65);
  });
});

describe('a broken connection', () => {
  const reset = { kind: 'unknown', reason: 'reset', counts: true };

  it.each<[string, (socket: Socket) => void]>([
    ['reset before any byte of the answer', (socket) => socket.resetAndDestroy()],
    ['closed before any byte of the answer', (socket) => socket.end()],
    [
      'reset within the answer',
      (socket) =>
        socket.write(httpAnswer(200, '{}').subarray(0, -1), () => socket.resetAndDestroy()),
    ],
    ['closed within the answer', (socket) => socket.end(httpAnswer(200, '{}').subarray(0, -1))],
  ])('%s: unknown, and sent once', async (_what, answer) => {
    const { server, processor } = await setup(answer);
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject(reset);
    expect(server.requests).toHaveLength(1);
  });

  it('reset when it is used again: unknown, and sent once', async () => {
    const { server, processor } = await setup((socket, { nth }) => {
      if (nth === 1) socket.write(httpAnswer(200, JSON.stringify(PAYMENT)));
      else socket.resetAndDestroy();
    });
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
    await setImmediate();
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject(reset);
    expect(server.requests).toHaveLength(2);
    expect(server.connections()).toBe(1);
  });

  it('closed while idle is noticed, and a new one is made', async () => {
    const closed: Promise<void>[] = [];
    const { server, processor } = await setup((socket) => {
      closed.push(new Promise((resolve) => socket.on('close', () => resolve())));
      socket.end(httpAnswer(200, JSON.stringify(PAYMENT)));
    });
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
    await closed[0];
    expect(await processor.charge(REQUEST, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
    expect(server.connections()).toBe(2);
  });

  it('refused: not sent', async () => {
    const { server, processor } = await answering(200, PAYMENT);
    await server.close();
    expect(await processor.charge(REQUEST, TIMEOUT)).toEqual({
      kind: 'not_sent',
      reason: 'connect_refused',
      retryAfterSeconds: null,
    });
  });

  it('reset while it is being made: not sent, though the error is the same', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const processor = processorAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    open.push(processor, { close: () => new Promise((done) => server.close(() => done())) });
    const outcome = await processor.charge(REQUEST, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'not_sent', reason: 'connect_failed' });
  });

  it('closed by ourselves: unknown for what was sent, not sent for what comes after', async () => {
    const { server, processor } = await setup(() => {});
    const sent = processor.charge(REQUEST, TIMEOUT);
    await expect.poll(() => server.requests.length).toBe(1);
    await processor.close();
    expect(await sent).toMatchObject(reset);
    const after = await processor.charge(REQUEST, TIMEOUT);
    expect(after).toMatchObject({ kind: 'not_sent', reason: 'connect_failed' });
  });
});

describe('our account at the processor', () => {
  it('is asked once and remembered', async () => {
    const { server, processor } = await answering(200, { object: 'account', id: 'acct_1' });
    expect(await processor.account(TIMEOUT)).toBe('acct_1');
    expect(await processor.account(TIMEOUT)).toBe('acct_1');
    expect(server.requests.map(({ head }) => head.split(' HTTP')[0])).toEqual(['GET /v1/account']);
  });

  it('is null while it cannot be asked, and asked again', async () => {
    const { processor } = await setup((socket, { nth }) => {
      if (nth === 1) socket.write(httpAnswer(500, '{}'));
      else if (nth === 2) socket.write(httpAnswer(200, '{"object":"account","id":"a b"}'));
      else socket.write(httpAnswer(200, '{"object":"account","id":"acct_1"}'));
    });
    expect(await processor.account(TIMEOUT)).toBeNull();
    expect(await processor.account(TIMEOUT)).toBeNull();
    expect(await processor.account(TIMEOUT)).toBe('acct_1');
  });
});
