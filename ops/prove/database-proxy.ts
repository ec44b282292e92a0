import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { Messages, statementOf } from './wire-messages.js';

/** Before it arrives: the server never gets the statement. After: it has run and committed, nobody hears of it. */
export type CutAction = 'cut_before' | 'cut_after';
export type Cut = { statement: string; action: CutAction };
type Plan = { statements: readonly string[]; action: CutAction; done: (cut: Cut | null) => void };

/**
 * Stands between one process and PostgreSQL, and knows which statement passes: a prepared one by its name at Bind,
 * any other (`COMMIT`) by its text. It can lose a statement or its answer, and break every connection.
 */
export class DatabaseProxy {
  readonly #sockets = new Set<Socket>();
  readonly #plans: Plan[] = [];

  private constructor(private readonly server: Server) {}

  static async start(port: number): Promise<DatabaseProxy> {
    const server = createServer();
    const proxy = new DatabaseProxy(server);
    server.on('connection', (client) => proxy.#relay(client, connect(port, '127.0.0.1')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The address that leads through this proxy. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return changed.href;
  }

  /** Cuts at the next of these statements; null when none has passed within the time. */
  async cutNext(
    statements: readonly string[],
    action: CutAction,
    withinMs: number,
  ): Promise<Cut | null> {
    return new Promise((resolve) => {
      const done = (cut: Cut | null) => {
        clearTimeout(timer);
        resolve(cut);
      };
      const plan: Plan = { statements, action, done };
      const timer = setTimeout(() => {
        const at = this.#plans.indexOf(plan);
        // A plan that has been taken is carried out: its answer is on its way.
        if (at < 0) return;
        this.#plans.splice(at, 1);
        done(null);
      }, withinMs);
      this.#plans.push(plan);
    });
  }

  /** Breaks every connection there is; returns how many. */
  cutAll(): number {
    const count = this.#sockets.size / 2;
    for (const socket of this.#sockets) socket.destroy();
    return Math.round(count);
  }

  close(): void {
    this.server.close();
    this.cutAll();
  }

  #relay(client: Socket, upstream: Socket): void {
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}); // broken connections are what this is for
      socket.on('close', () => this.#sockets.delete(socket));
    }
    let losing: { plan: Plan; cut: Cut } | null = null;
    const end = (plan: Plan, cut: Cut) => {
      client.destroy();
      upstream.destroy();
      plan.done(cut);
    };
    const fromClient = new Messages(true, (type, message) => {
      const statement = statementOf(type, message);
      const plan = statement === null || losing ? undefined : this.#take(statement);
      if (plan && statement !== null) {
        const cut: Cut = { statement, action: plan.action };
        if (plan.action === 'cut_before') return end(plan, cut);
        losing = { plan, cut };
      }
      upstream.write(message);
    });
    const fromServer = new Messages(false, (type, message) => {
      if (losing === null) return void client.write(message);
      if (type === 'Z') end(losing.plan, losing.cut); // its end; what came before is swallowed
    });
    client.on('data', (chunk) => fromClient.add(chunk)).on('close', () => upstream.destroy());
    upstream
      .on('data', (chunk) => fromServer.add(chunk))
      .on('close', () => {
        client.destroy();
        losing?.plan.done(null); // the server died under it
      });
  }

  #take(statement: string): Plan | undefined {
    const at = this.#plans.findIndex(({ statements }) => statements.includes(statement));
    return at < 0 ? undefined : this.#plans.splice(at, 1)[0];
  }
}
