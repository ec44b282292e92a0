import { type Socket, connect } from 'node:net';

export type IdleSockets = {
  url: string;
  /** Of an account that may read. */
  key: string;
  count: number;
  /** Requests of the normal client. */
  requests?: number;
  onProgress?: (opened: number) => void;
};

export type IdleSocketsResult = {
  opened: number;
  /** Why it was not tried, in words for a person; null if it was. */
  skipped: string | null;
  /** Requests of the normal client that were served, and how long they took. */
  served: number;
  medianMs: number;
  slowestMs: number;
  findings: { says: string }[];
};

/**
 * So many connections that say nothing, and one normal client among them: it connects anew each time, and is served as if
 * it were alone. The server closes them by itself when their time for a request is over.
 */
export async function runIdleSockets(options: IdleSockets): Promise<IdleSocketsResult> {
  const { url, key, count, requests = 50, onProgress } = options;
  const result: IdleSocketsResult = {
    opened: 0,
    skipped: whyNot(count),
    served: 0,
    medianMs: 0,
    slowestMs: 0,
    findings: [],
  };
  if (result.skipped !== null) return result;
  const sockets: Socket[] = [];
  try {
    while (sockets.length < count) {
      const wave = Math.min(WAVE, count - sockets.length);
      sockets.push(...(await Promise.all(Array.from({ length: wave }, () => open(url)))));
      onProgress?.(sockets.length);
    }
    result.opened = sockets.length;
    const times: number[] = [];
    for (let at = 0; at < requests; at++) times.push(await serveOne(url, key, result));
    times.sort((one, other) => one - other);
    result.medianMs = Math.round(times[times.length >> 1] ?? 0);
    result.slowestMs = Math.round(times.at(-1) ?? 0);
  } catch (error) {
    result.findings.push({ says: `after ${sockets.length} sockets: ${String(error)}` });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return result;
}

/** A backlog is 511 long. */
const WAVE = 250;
/** Files that we, or the server, have open besides. */
const OTHER_FILES = 200;

/** A limit of the operating system on open files holds for the server as well, which is our child or our neighbour. */
function whyNot(count: number): string | null {
  const report = process.report.getReport() as unknown as {
    userLimits: { open_files: { soft: number | string } };
  };
  const { soft } = report.userLimits.open_files;
  const needed = count + OTHER_FILES;
  if (typeof soft !== 'number' || soft >= needed) return null;
  return `SKIPPED: ${count} idle sockets need ulimit -n of at least ${needed}, and it is ${soft}`;
}

function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => {}); // the server may give up on it
  });
}

async function serveOne(url: string, key: string, result: IdleSocketsResult): Promise<number> {
  const startedMs = performance.now();
  const headers = { authorization: `Bearer ${key}`, connection: 'close' };
  const answer = await fetch(`${url}/v1/payments?limit=1`, { headers });
  await answer.arrayBuffer();
  if (answer.status === 200) result.served += 1;
  else
    result.findings.push({
      says: `among idle sockets a normal client is answered ${answer.status}`,
    });
  return performance.now() - startedMs;
}
