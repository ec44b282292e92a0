import { type Socket, connect } from 'node:net';

export type SlowClients = {
  url: string;
  /** Of an account that may read. */
  key: string;
  /** By then the server must have given up on each of them. */
  withinMs?: number;
  /** Between two bytes of those who are slow. */
  trickleMs?: number;
};

export type SlowClientsResult = {
  /** How each of them ended: the status it was told, or that it was cut off. */
  ends: Record<string, string>;
  /** Requests of a normal client meanwhile. */
  served: number;
  findings: { says: string }[];
};

/**
 * Clients that hold a connection as long as they can: they send a byte at a time, or without an end, or nothing, or never
 * read, or close their half. The server gives up on each of them in time, with 408 or 413 where it can still be heard,
 * and serves a normal client all the while.
 */
export async function runSlowClients(options: SlowClients): Promise<SlowClientsResult> {
  const { url, key, withinMs = 25_000, trickleMs = 200 } = options;
  const result: SlowClientsResult = { ends: {}, served: 0, findings: [] };
  const deadline = AbortSignal.timeout(withinMs);
  const clients = Object.entries(CLIENTS).map(async ([name, behave]) => {
    const end = await lifeOf(url, (socket) => behave({ socket, key, trickleMs }), deadline);
    result.ends[name] = end;
    if (!ENDS[name as keyof typeof CLIENTS].test(end)) {
      result.findings.push({ says: `${name} ended with: ${end}` });
    }
  });
  const all = Promise.all(clients).then(() => true);
  while (!(await Promise.race([all, pause(trickleMs)]))) {
    const answer = await fetch(`${url}/v1/payments?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (answer.status === 200) result.served += 1;
    else result.findings.push({ says: `a normal client is answered ${answer.status}` });
    await answer.arrayBuffer();
  }
  return result;
}

type Behaving = { socket: Socket; key: string; trickleMs: number };

const CLIENTS = {
  nothing: () => () => {},
  /** A header that never ends. */
  headers: ({ socket, key, trickleMs }: Behaving) => {
    socket.write(`GET /v1/payments HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX: `);
    return every(trickleMs, () => socket.write('x'));
  },
  /** A body of which each byte takes its time. */
  body: ({ socket, key, trickleMs }: Behaving) => {
    socket.write(headOf(key, 'Content-Length: 100000'));
    return every(trickleMs, () => socket.write(' '));
  },
  /** Chunks as fast as they are taken, without a last one. */
  endless: ({ socket, key }: Behaving) => {
    socket.write(headOf(key, 'Transfer-Encoding: chunked'));
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const more = () => {
      if (socket.writable) socket.write(chunk, more);
    };
    more();
    return () => {};
  },
  /** Request after request, and not one answer is read. */
  deaf: ({ socket, key, trickleMs }: Behaving) => {
    socket.pause();
    const request = `GET /openapi.json HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    socket.write(request.repeat(60));
    // It hangs up in the end, and nobody else has noticed it until then.
    const timer = setTimeout(() => socket.destroy(), trickleMs * 10);
    return () => clearTimeout(timer);
  },
  /** A whole request, and then its half of the connection closed. */
  half_closed: ({ socket, key }: Behaving) => {
    socket.end(
      `GET /v1/payments?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    return () => {};
  },
  /** Half of a request, and then its half of the connection closed. */
  half_sent: ({ socket, key }: Behaving) => {
    socket.end(`${headOf(key, 'Content-Length: 100000')}{`);
    return () => {};
  },
} satisfies Record<string, (on: Behaving) => () => void>;

/** How each may end. */
const ENDS: Record<keyof typeof CLIENTS, RegExp> = {
  nothing: /^(408|cut)$/,
  headers: /^(408|cut)$/,
  body: /^(408|cut)$/,
  endless: /^(413|408|cut)$/,
  deaf: /^cut$/,
  half_closed: /^(200|408|cut)$/,
  half_sent: /^(400|408|cut)$/,
};

function headOf(key: string, framing: string): string {
  return [
    'POST /v1/payments HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Idempotency-Key: slow',
    framing,
    '\r\n',
  ].join('\r\n');
}

/** Behaves until the server ends it, or it has been waited for long enough. */
function lifeOf(
  url: string,
  behave: (socket: Socket) => () => void,
  deadline: AbortSignal,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  return new Promise((resolve) => {
    let told = '';
    let stop = () => {};
    const end = (how: string) => {
      stop();
      socket.destroy();
      resolve(how);
    };
    const status = () => /^HTTP\/1\.1 (\d+)/.exec(told)?.[1] ?? 'cut';
    socket.on('data', (chunk: Buffer) => (told = (told + chunk.toString('latin1')).slice(0, 100)));
    socket.on('error', () => {}); // 'close' follows
    socket.on('end', () => end(status()));
    socket.on('close', () => end(status()));
    socket.once('connect', () => (stop = behave(socket)));
    deadline.addEventListener('abort', () => end('nothing'), { once: true });
  });
}

function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms);
  return () => clearInterval(timer);
}

function pause(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}
