import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '#embedded/postgres-server.js';
import { createTestDatabase } from '#testing/database.js';
import { ProcessSystem, type Seen } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { type Books, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

/** An API process on a database server of its own, which may crash: durable, as in life. */
export class OwnServer {
  private constructor(
    private readonly folder: string,
    public server: PostgresServer,
    readonly system: ProcessSystem,
    private readonly processes: Processes,
    readonly api: ServiceProcess,
  ) {}

  /** In a folder that exists, and that its maker removes. */
  static async start(folder: string): Promise<OwnServer> {
    chmodSync(folder, 0o711); // the server's own user passes through
    const server = await startPostgres({ folder: join(folder, 'postgres') });
    const database = await createTestDatabase(server.ownerUrl);
    const system = await ProcessSystem.start({ database });
    const processes = new Processes();
    return new OwnServer(folder, server, system, processes, await system.api(processes));
  }

  /** Starts the server again at its old address. */
  async startAgain(): Promise<void> {
    const { port } = this.server;
    this.server = await startPostgres({ folder: join(this.folder, 'postgres'), port });
  }

  pay(key: string): Promise<Seen> {
    return this.system.pay(this.api, key, { order_id: key });
  }

  /** The same request until it is through: the database is on its way back. Adds what was heard to `answers`. */
  async payUntilPaid(key: string, answers: Seen[]): Promise<void> {
    await until(async () => {
      const answer = await this.pay(key);
      answers.push(answer);
      // What an interrupted run holds need not be waited for by a real clock.
      if (answer.status === 409 || answer.status === 202) await this.#passAMinute();
      return answer.status === 201;
    }, 60_000);
  }

  booksOf(key: string): Promise<Books> {
    const { accountId, mockClient } = this.system;
    return this.asOwner((owner) => readBooks({ owner, mockClient, accountId }, key));
  }

  /** A session of its own: one that is kept would have died with its server. */
  async asOwner<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
    const owner = new pg.Client({ connectionString: this.system.database.url });
    owner.on('error', () => {});
    try {
      await owner.connect();
      return await work(owner);
    } finally {
      await owner.end();
    }
  }

  async close(): Promise<void> {
    await this.processes.endAll();
    await this.system.close();
    await this.server.stop();
  }

  async #passAMinute(): Promise<void> {
    const minute = `UPDATE test_clock SET advance = advance + interval '1 minute'`;
    await this.asOwner((owner) => owner.query(minute));
  }
}
