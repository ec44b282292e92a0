import { Agent, request } from 'node:http';

export type Shot = { path: string; headers: Record<string, string>; body: string };

export type LoopResult = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  statuses: Record<number, number>;
  count: number;
};

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
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startMs = performance.now();
  const [fromMs, toMs] = [startMs + warmupMs, startMs + warmupMs + measureMs];
  const times: number[] = [];
  const statuses: Record<number, number> = {};
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < toMs) {
        const sentMs = performance.now();
        const status = await send(agent, url, next());
        const doneMs = performance.now();
        if (sentMs < fromMs || doneMs > toMs) continue;
        times.push(doneMs - sentMs);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }),
  );
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    perSecond: (times.length * 1000) / measureMs,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    statuses,
    count: times.length,
  };
}

function send(agent: Agent, url: string, shot: Shot): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(shot.path, url), { agent, method: 'POST', headers: shot.headers });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(shot.body);
  });
}

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
