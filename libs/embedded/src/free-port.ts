import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** A port of the interface that nobody listens on: the wanted one if it is free, else any. */
export async function freePort(wanted = 0, host = LOOPBACK): Promise<number> {
  if (wanted !== 0 && (await isFree(wanted, host))) return wanted;
  return listenOnce(0, host);
}

export async function isFree(port: number, host = LOOPBACK): Promise<boolean> {
  try {
    await listenOnce(port, host);
    return true;
  } catch {
    return false;
  }
}

function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const taken = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(taken));
    });
  });
}
