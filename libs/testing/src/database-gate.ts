import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** Stands between the service and PostgreSQL on plain TCP; closes, and loses single answers, on demand. */
export class DatabaseGate {
  #target = { host: '127.0.0.1', port: 0 };
  #closed = false;
  #losing: { statement: string; lost: () => void } | null = null;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((near) => this.#connect(near));

  static async start(): Promise<DatabaseGate> {
    const gate = new DatabaseGate();
    await new Promise<void>((resolve) => gate.#server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  /** The address that leads through this gate to the given one. */
  through(url: string): string {
    const passing = new URL(url);
    this.#target = { host: passing.hostname, port: Number(passing.port) };
    passing.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return passing.href;
  }

  /** Every connection breaks, and no new one comes about. */
  shut(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  reopen(): void {
    this.#closed = false;
  }

  /** The next run of this statement is carried out, and its connection breaks before anybody hears of it. */
  loseAnswerOf(statement: string): Promise<void> {
    return new Promise((lost) => (this.#losing = { statement, lost }));
  }

  async close(): Promise<void> {
    this.shut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connect(near: Socket): void {
    if (this.#closed) return void near.destroy();
    const far = connect(this.#target);
    let losing: (() => void) | null = null;
    near.on('data', (bytes: Buffer) => {
      if (this.#losing !== null && bytes.includes(this.#losing.statement)) {
        losing = this.#losing.lost;
        this.#losing = null;
      }
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (losing === null) return void near.write(bytes);
      if (!bytes.subarray(-6).equals(READY)) return; // not committed until the server says so
      losing();
      near.destroy();
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => {}); // a broken connection is what this is for
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}

/** ReadyForQuery, outside a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
