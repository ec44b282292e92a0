import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';

import { httpAnswer } from '#testing/raw-server.js';
import { CHARGE, PAYMENT, StripeBench, TIMEOUT } from '#testing/stripe-answers.js';
import type { Processor } from './processor.js';

const bench = new StripeBench();
afterEach(() => bench.close());

describe('the deadline covers everything', () => {
  const timedOut = { kind: 'unknown', reason: 'timeout', counts: true };
  const SHORT = { timeoutMs: 300 };

  async function chargeTimed(processor: Processor) {
    const from = performance.now();
    const outcome = await processor.charge(CHARGE, SHORT);
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
    const { server, processor } = await bench.serving(answer);
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
    const processor = bench.processorAt(
      `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    bench.closing({ close: () => new Promise((done) => server.close(() => done())) });
    const { outcome, elapsedMs } = await chargeTimed(processor);
    expect(outcome).toEqual({ kind: 'not_sent', reason: 'deadline', retryAfterSeconds: null });
    expect(elapsedMs).toBeLessThan(2000);
    await processor.close();
    await expect.poll(() => connectionsOf(server)).toBe(0);
  });

  it('no time left: not sent, and not even connected', async () => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    for (const timeoutMs of [0, -5, 0.4, NaN]) {
      const outcome = await processor.charge(CHARGE, { timeoutMs });
      expect(outcome).toMatchObject({ kind: 'not_sent', reason: 'deadline' });
    }
    expect(server.connections()).toBe(0);
  });

  it('a queue behind 64 busy connections: not sent, also not later', async () => {
    const busy: Socket[] = [];
    const { server, processor } = await bench.serving((socket) => busy.push(socket));
    const holding = Array.from({ length: 64 }, () => processor.charge(CHARGE, TIMEOUT));
    await expect.poll(() => server.requests.length).toBe(64);
    expect(await processor.charge(CHARGE, SHORT)).toMatchObject({
      kind: 'not_sent',
      reason: 'deadline',
    });
    for (const socket of busy) socket.write(httpAnswer(200, JSON.stringify(PAYMENT)));
    await Promise.all(holding);
    // One more round trip, so that the queued request has had its chance to be written.
    const last = processor.charge(CHARGE, TIMEOUT);
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
    const { server, processor } = await bench.serving(answer);
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject(reset);
    expect(server.requests).toHaveLength(1);
  });

  it('reset when it is used again: unknown, and sent once', async () => {
    const { server, processor } = await bench.serving((socket, { nth }) => {
      if (nth === 1) socket.write(httpAnswer(200, JSON.stringify(PAYMENT)));
      else socket.resetAndDestroy();
    });
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
    await setImmediate();
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject(reset);
    expect(server.requests).toHaveLength(2);
    expect(server.connections()).toBe(1);
  });

  it('closed while idle is noticed, and a new one is made', async () => {
    const closed: Promise<void>[] = [];
    const { server, processor } = await bench.serving((socket) => {
      closed.push(new Promise((resolve) => socket.on('close', () => resolve())));
      socket.end(httpAnswer(200, JSON.stringify(PAYMENT)));
    });
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
    await closed[0];
    expect(await processor.charge(CHARGE, TIMEOUT)).toMatchObject({ kind: 'succeeded' });
    expect(server.connections()).toBe(2);
  });

  it('refused: not sent', async () => {
    const { server, processor } = await bench.answering(200, PAYMENT);
    await server.close();
    expect(await processor.charge(CHARGE, TIMEOUT)).toEqual({
      kind: 'not_sent',
      reason: 'connect_refused',
      retryAfterSeconds: null,
    });
  });

  it('reset while it is being made: not sent, though the error is the same', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const processor = bench.processorAt(
      `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    bench.closing({ close: () => new Promise((done) => server.close(() => done())) });
    const outcome = await processor.charge(CHARGE, TIMEOUT);
    expect(outcome).toMatchObject({ kind: 'not_sent', reason: 'connect_failed' });
  });

  it('closed by ourselves: unknown for what was sent, not sent for what comes after', async () => {
    const { server, processor } = await bench.serving(() => {});
    const sent = processor.charge(CHARGE, TIMEOUT);
    await expect.poll(() => server.requests.length).toBe(1);
    await processor.close();
    expect(await sent).toMatchObject(reset);
    const after = await processor.charge(CHARGE, TIMEOUT);
    expect(after).toMatchObject({ kind: 'not_sent', reason: 'connect_failed' });
  });
});

function connectionsOf(server: Server): Promise<number> {
  return promisify(server.getConnections.bind(server))();
}
