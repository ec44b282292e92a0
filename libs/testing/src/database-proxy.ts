import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { Messages, statementOf } from '../../../ops/prove/wire-messages.js';

/**
 * A TCP proxy in front of PostgreSQL that knows which statement passes, and can lose it or its answer.
 *
 * Statements are found on the wire: a prepared one by its name at Bind, any other (`COMMIT`) by its text.
 * Each of ours commits by itself, so its end is the ReadyForQuery behind its CommandComplete.
 */
export async function startDatabaseProxy(): Promise<DatabaseProxy> {
  const plans: Plan[] = [];
  const passages: Passage[] = [];
  const sockets = new Set<Socket>();
  let target = new URL('postgresql://127.0.0.1');

  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}); // broken connections are what this is for
      socket.on('close', () => sockets.delete(socket));
    }
    relay(client, upstream, { plans, passages });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    passages,
    urlFor: (url) => {
      target = new URL(url);
      const through = new URL(url);
      through.host = `127.0.0.1:${port}`;
      return through.href;
    },
    plan: ({ statement, action, passage = 1 }) =>
      new Promise((resolve) => {
        const seen = passages.filter((passed) => passed.statement === statement).length;
        plans.push({ statement, action, at: seen + passage, done: resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export type DatabaseProxy = {
  /** Every statement that the client sent, with the server process that it was meant for. */
  passages: Passage[];
  /** The address that leads through this proxy to the server of `url`. */
  urlFor(url: string): string;
  /** What happens at the n-th passage from now on; resolves with it when it has happened. */
  plan(wanted: { statement: string; action: Action; passage?: number }): Promise<Passage>;
  close(): Promise<void>;
};

/**
 * `cut_before`: the server never gets the statement. `cut_after`: the server has run and committed it,
 * the client never hears. `hold`: the same, but the connection stays open until the client gives it up.
 */
export type Action = 'cut_before' | 'cut_after' | 'hold';
export type Passage = { statement: string; pid: number };
type Plan = { statement: string; action: Action; at: number; done: (passage: Passage) => void };

function relay(
  client: Socket,
  upstream: Socket,
  { plans, passages }: { plans: Plan[]; passages: Passage[] },
): void {
  let pid = 0;
  let losing: { plan: Plan; passage: Passage } | null = null;
  const cut = () => {
    client.destroy();
    upstream.destroy();
  };

  const fromClient = new Messages(true, (type, message) => {
    const statement = statementOf(type, message);
    if (statement !== null) {
      const passage = { statement, pid };
      passages.push(passage);
      const count = passages.filter((passed) => passed.statement === statement).length;
      const plan = plans.find((made) => made.statement === statement && made.at === count);
      if (plan?.action === 'cut_before') {
        cut();
        return plan.done(passage);
      }
      if (plan) losing = { plan, passage };
    }
    upstream.write(message);
  });
  const fromServer = new Messages(false, (type, message) => {
    if (type === 'K') pid = message.readInt32BE(5);
    if (losing === null) return void client.write(message);
    if (type !== 'Z') return; // swallowed, up to the end of the statement
    const { plan, passage } = losing;
    if (plan.action === 'cut_after') cut();
    plan.done(passage);
  });
  client.on('data', (chunk) => fromClient.add(chunk)).on('close', () => upstream.destroy());
  upstream.on('data', (chunk) => fromServer.add(chunk)).on('close', () => client.destroy());
}
