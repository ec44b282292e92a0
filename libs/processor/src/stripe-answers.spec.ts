import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';

import { httpAnswer } from '#testing/raw-server.js';
import { CHARGE, PAYMENT, StripeBench, TIMEOUT } from '#testing/stripe-answers.js';

const bench = new StripeBench();
afterEach(() => bench.close());

describe('a good answer', () => {
  it('is a charge, with the fee of its balance transaction', async () => {
    const { processor } = await bench.answering(200, PAYMENT);
    expect(await processor.charge(CHARGE, TIMEOUT)).toEqual({
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
    const { processor } = await bench.answering(200, body);
    const outcome = await processor.charge(CHARGE, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'succeeded', fee: null });
  });

  it('is read on a connection that is used again', async () => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
      await setImmediate(); // a connection is free again one turn after its answer
    }
    expect(server.requests).toHaveLength(3);
    expect(server.connections()).toBe(1);
  });

  it('is read behind interim answers', async () => {
    const { processor } = await bench.serving((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
      socket.write(httpAnswer(200, JSON.stringify(PAYMENT)));
    });
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
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
    ['another reference', text.replace(CHARGE.processorKey, CHARGE.accountId)],
    ['another account', text.replace(CHARGE.accountId, CHARGE.processorKey)],
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
    const { server, processor } = await bench.serving((socket) =>
      socket.write(httpAnswer(200, body)),
    );
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject(nonsense);
    expect(server.requests).toHaveLength(1);
  });

  it('10 MB of body, of which only the first is read', async () => {
    const { processor } = await bench.serving((socket) =>
      socket.write(httpAnswer(200, Buffer.alloc(10_000_000, ' '))),
    );
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject(nonsense);
  });

  it('chunks without an end', async () => {
    const { processor } = await bench.serving((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const pour = () => {
        if (!socket.destroyed) socket.write(`10000\r\n${' '.repeat(0x10000)}\r\n`, () => pour());
      };
      pour();
    });
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject(nonsense);
  });

  it('what is not HTTP', async () => {
    const { processor } = await bench.serving((socket) =>
      socket.write('SSH-2.0-OpenSSH_9.2\r\n\r\n'),
    );
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject(nonsense);
  });

  it('headers without an end', async () => {
    const { processor } = await bench.serving((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${'X-Filler: 0123456789\r\n'.repeat(5000)}`),
    );
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject(nonsense);
  });

  it.each([502, 503, 504])('an HTML %i is a server error that no key keeps', async (status) => {
    const { processor } = await bench.answering(status, '<html>', { 'Retry-After': '7' });
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject({
      kind: 'unknown',
      reason: 'server_error',
      storedError: false,
      counts: false,
      retryAfterSeconds: 7,
    });
  });

  it('a redirect, which is not followed', async () => {
    const { server, processor } = await bench.answering(307, '', { Location: '/v1/elsewhere' });
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject(nonsense);
    expect(server.requests).toHaveLength(1);
  });
});
