import { createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * An HTTP server of bare sockets, for answers that no HTTP library would give: half of one, two of
 * one, none. It reads whole requests and leaves every byte of the answer to the test.
 */
export async function startRawServer(
  answer: (socket: Socket, request: RawRequest) => void,
): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // the other side may break off; that is what the tests are about
    readRequests(socket, (raw) => {
      const request = { ...raw, nth: requests.length + 1 };
      requests.push(request);
      answer(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export type RawRequest = { head: string; body: string; bytes: Buffer; nth: number };

export type RawServer = {
  url: string;
  /** In the order in which they were complete. */
  requests: RawRequest[];
  connections(): number;
  close(): Promise<void>;
};

/** A whole answer with a right length. */
export function httpAnswer(
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Buffer {
  const content = Buffer.from(body);
  const lines = Object.entries({ 'Content-Length': String(content.length), ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${head}\r\n`), content]);
}

function readRequests(socket: Socket, onRequest: (request: Omit<RawRequest, 'nth'>) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = pending.subarray(0, headEnd + 4).toString('latin1');
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (pending.length < end) return;
      const bytes = pending.subarray(0, end);
      pending = pending.subarray(end);
      onRequest({ head, body: bytes.subarray(headEnd + 4).toString('utf8'), bytes });
    }
  });
}
