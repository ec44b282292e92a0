import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Tx } from './db.js';
import { DatabaseUnavailable } from './errors.js';
import { SESSION_LIMITS } from './pool.js';
import type { Statement } from './statement.js';

/** For work that goes on for minutes, of which there is one at a time: a job, not a request. */
const STATEMENT_MS = 30 * 60_000;

export type LongSessionOptions = {
  /** Past any pooler: what the session holds must end with it. */
  url: string;
  applicationName: string;
};

/**
 * One connection of its own for a long job: it can hold a lock that ends with the process, however that ends, and
 * take a stream of rows. Requests have the pool, whose limits are tight.
 */
export class LongSession {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open({ url, applicationName }: LongSessionOptions): Promise<LongSession> {
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: SESSION_LIMITS.connectMs,
      statement_timeout: STATEMENT_MS,
      lock_timeout: SESSION_LIMITS.lockMs,
      idle_in_transaction_session_timeout: STATEMENT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    });
    client.on('error', () => {}); // its statement rejects, which is what counts
    try {
      await client.connect();
      await client.query('SET idle_session_timeout = 0');
    } catch (error) {
      await client.end().catch(() => {});
      throw new DatabaseUnavailable(error);
    }
    return new LongSession(client);
  }

  /** Runs one statement, which commits by itself. */
  async run<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return this.#tx().run(statement, values);
  }

  /** Runs `work` in one transaction. With `keep: false` it is undone at the end, whatever it did. */
  async transaction<T>(work: (tx: LongTx) => Promise<T>, { keep = true } = {}): Promise<T> {
    await this.#client.query('BEGIN');
    try {
      const result = await work(this.#tx());
      await this.#client.query(keep ? 'COMMIT' : 'ROLLBACK');
      return result;
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  /** Breaks the connection off, under whatever runs: the server undoes its transaction. */
  abandon(): void {
    this.#client.connection.stream.destroy();
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  #tx(): LongTx {
    return new LongTx(this.#client);
  }
}

/** The inside of a long transaction, which can also be handed a stream. */
export class LongTx extends Tx {
  readonly #own: pg.Client;

  constructor(client: pg.Client) {
    super(client, () => {});
    this.#own = client;
  }

  /** Marks where the transaction is; what is returned goes back there. */
  async savepoint(): Promise<() => Promise<void>> {
    await this.#own.query('SAVEPOINT before');
    return async () => {
      await this.#own.query('ROLLBACK TO SAVEPOINT before');
    };
  }

  /** COPY … FROM STDIN: rows in PostgreSQL's text format, no more of them in memory than one piece. */
  async copy({ text }: Statement<unknown>, pieces: AsyncIterable<string>): Promise<void> {
    const copying = this.#own.query(copyFrom(text));
    await pipeline(Readable.from(pieces, { objectMode: true, highWaterMark: 2 }), copying);
  }
}
