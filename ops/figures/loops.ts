import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Spread, spreadOf } from './spread.js';

export type Shot = { path: string; headers: Record<string, string>; body: string };

export type LoopResult = Spread & { perSecond: number; statuses: Record<number, number> };

/**
 * A closed loop: each of `connections` sends its next request when the last was answered. Requests of the
 * first `warmupMs` are not counted.
 */
export async function closedLoop(options: {
  url: string;
  connections: number;
  warmupMs: number;
  measureMs: number;
  next: () => Shot;
}): Promise<LoopResult> {
  const { url, connections, warmupMs, measureMs, next } = options;
  const startMs = performance.now();
  const [fromMs, toMs] = [startMs + warmupMs, startMs + warmupMs + measureMs];
  const seen = new Seen();
  await onConnections(url, connections, async (sendOne) => {
    while (performance.now() < toMs) {
      const sentMs = performance.now();
      const status = await sendOne(next());
      if (sentMs >= fromMs && performance.now() <= toMs) seen.note(status, sentMs);
    }
  });
  return seen.result(measureMs);
}

/** So many requests, as fast as `connections` get them answered. */
export async function burst(options: {
  url: string;
  connections: number;
  count: number;
  next: () => Shot;
}): Promise<LoopResult> {
  const { url, connections, count, next } = options;
  const startMs = performance.now();
  const seen = new Seen();
  let left = count;
  await onConnections(url, connections, async (sendOne) => {
    while (left-- > 0) {
      const sentMs = performance.now();
      seen.note(await sendOne(next()), sentMs);
    }
  });
  return seen.result(performance.now() - startMs);
}

/**
 * An open loop: a request each `1/perSecond`, whether or not the last was answered, and timed from the instant
 * at which it was due, so that a stall counts for everybody who would have come in it.
 */
export async function atRate(options: {
  url: string;
  perSecond: number;
  count: number;
  next: () => Shot;
}): Promise<LoopResult> {
  const { url, perSecond, count, next } = options;
  const startMs = performance.now();
  const seen = new Seen();
  const agent = new Agent({ keepAlive: true });
  const running: Promise<void>[] = [];
  for (let sent = 0; sent < count; sent++) {
    const dueMs = startMs + (sent * 1000) / perSecond;
    await pause(Math.max(0, dueMs - performance.now()));
    running.push(send(agent, url, next()).then((status) => seen.note(status, dueMs)));
  }
  await Promise.all(running);
  agent.destroy();
  return seen.result(performance.now() - startMs);
}

/** Sends one request on a connection of the agent's; the status, or 0 for an answer that was cut. */
export function send(agent: Agent, url: string, { path, headers, body }: Shot): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { agent, method: 'POST', headers });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

type Send = (shot: Shot) => Promise<number>;

async function onConnections(
  url: string,
  connections: number,
  work: (sendOne: Send) => Promise<void>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const one = (shot: Shot) => send(agent, url, shot);
  await Promise.all(Array.from({ length: connections }, () => work(one)));
  agent.destroy();
}

class Seen {
  readonly #timesMs: number[] = [];
  readonly #statuses: Record<number, number> = {};

  note(status: number, sinceMs: number): void {
    this.#timesMs.push(performance.now() - sinceMs);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  result(overMs: number): LoopResult {
    const perSecond = (this.#timesMs.length * 1000) / overMs;
    return { ...spreadOf(this.#timesMs), perSecond, statuses: this.#statuses };
  }
}

/** A row with other answers in it is not a measurement. */
export function refuseOthers(name: string, result: LoopResult, wanted: number): LoopResult {
  const others = Object.keys(result.statuses).filter((status) => Number(status) !== wanted);
  if (others.length > 0)
    throw new Error(`${name}: answers were ${JSON.stringify(result.statuses)}`);
  return result;
}
