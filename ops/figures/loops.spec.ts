import { spawnSync } from 'node:child_process';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Shot, atRate, burst, closedLoop, refuseOthers } from './loops.js';
import { spreadOf } from './spread.js';

const next = (): Shot => ({ path: '/', headers: {}, body: '' });

describe('the load of the figures', () => {
  let server: Server;
  afterEach(() => new Promise<unknown>((resolve) => server.close(resolve)));

  async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('sends at its rate whether or not it is answered, and times from the instant that was due', async () => {
    const held: ServerResponse[] = [];
    const url = await serve((_request, response) => {
      held.push(response);
      if (held.length === 5) for (const each of held) each.end();
    });
    const result = await atRate({ url, perSecond: 50, count: 5, next });
    // The first waited for the four after it, which came 20 ms apart.
    expect(result.maxMs).toBeGreaterThanOrEqual(79);
    expect(result).toMatchObject({ count: 5, statuses: { 200: 5 } });
  });

  it('sends a burst once each, over so many connections and no more', async () => {
    let [running, most, seen] = [0, 0, 0];
    const url = await serve((_request, response) => {
      most = Math.max(most, ++running);
      seen += 1;
      setImmediate(() => {
        running -= 1;
        response.end();
      });
    });
    expect((await burst({ url, connections: 3, count: 20, next })).count).toBe(20);
    expect([seen, most <= 3]).toEqual([20, true]);
  });

  it('counts nothing of the warm-up', async () => {
    let seen = 0;
    const url = await serve((_request, response) => {
      seen += 1;
      response.end();
    });
    const result = await closedLoop({ url, connections: 1, next, warmupMs: 100, measureMs: 100 });
    expect(result.count).toBeLessThan(seen);
  });

  it('is no measurement when there are other answers in it', async () => {
    const url = await serve((_request, response) => void response.writeHead(503).end());
    const result = await burst({ url, connections: 1, count: 2, next });
    expect(() => refuseOthers('payments', result, 201)).toThrow('payments: answers were {"503":2}');
    expect(refuseOthers('payments', result, 503)).toBe(result);
  });
});

describe('the figures', () => {
  it('tell the middle, the slowest hundredth and the longest of the times', () => {
    const times = Array.from({ length: 200 }, (_, at) => 200 - at);
    expect(spreadOf(times)).toEqual({ count: 200, p50Ms: 101, p99Ms: 199, maxMs: 200 });
  });

  it('are not written from a quick run', () => {
    const run = join(import.meta.dirname, '../run.mjs');
    const args = [run, 'figures', '--quick', '--write'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('--quick measures nothing')]);
  });
});
