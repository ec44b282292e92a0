import type { ClientBase, Pool, PoolClient } from 'pg';
import { DatabaseUnavailable, StatementUnconfirmed, isRefusal } from './errors.js';
import type { Statement } from './statement.js';

/**
 * The database outside a transaction: each statement commits by itself, in one round trip.
 * `Db` and `Tx` do not fit each other in the type system, so that a function's signature says whether
 * it runs inside somebody's transaction.
 */
export class Db {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Runs one statement and commits it. `sent`, for tests, is called once the bytes are on their way and
   * no answer has been read: where a crash leaves a statement that nobody will hear of.
   * Throws DatabaseUnavailable (never sent), StatementUnconfirmed (nobody knows), or the server's refusal.
   */
  async run<Row>(
    statement: Statement<Row>,
    values: readonly unknown[],
    sent?: () => Promise<void>,
  ): Promise<Row[]> {
    const client = await this.#connect();
    const running = runOn(client, statement, values, (broken) => client.release(broken));
    if (sent === undefined) return running;
    const [result] = await Promise.allSettled([running, flushed().then(sent)]);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  /** Runs `work` in one transaction at READ COMMITTED. An error on COMMIT is StatementUnconfirmed. */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    const plain = (text: string) =>
      runOn(client, { name: '', text }, [], (isBroken) => (broken ||= isBroken));
    try {
      await plain('BEGIN');
      const result = await work(new Tx(client, () => (broken = true)));
      await plain('COMMIT');
      return result;
    } catch (error) {
      if (!broken) await plain('ROLLBACK').catch(() => (broken = true));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    try {
      const client = await this.#pool.connect();
      if (!client.listeners('error').includes(heardByItsStatement)) {
        client.on('error', heardByItsStatement);
      }
      return client;
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  }
}

/**
 * A connection that breaks while it is lent out says so twice: its statement rejects, and it emits an
 * event, which the pool hears for idle ones only and which would end the process if nobody did.
 */
function heardByItsStatement(): void {}

/** What is done on a new connection, each statement by itself, before anybody gets it. */
export type OnConnect = (session: Tx) => Promise<void>;

/** The inside of a transaction that somebody else opened and will end. */
export class Tx {
  readonly #client: ClientBase;
  readonly #noteBroken: () => void;

  constructor(client: ClientBase, noteBroken: () => void) {
    this.#client = client;
    this.#noteBroken = noteBroken;
  }

  async run<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return runOn(this.#client, statement, values, (broken) => {
      if (broken) this.#noteBroken();
    });
  }
}

/** The driver hands its bytes to the socket at the end of this turn of the event loop. */
function flushed(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A connection on which a statement was not confirmed is never used again: its late answer would reach the next user. */
async function runOn<Row>(
  client: ClientBase,
  { name, text }: Statement<Row>,
  values: readonly unknown[],
  done: (broken: boolean) => void,
): Promise<Row[]> {
  try {
    const query = name === '' ? { text } : { name, text, values: [...values] };
    const { rows } = await client.query(query);
    done(false);
    return rows as Row[];
  } catch (error) {
    if (isRefusal(error)) {
      done(false);
      throw error;
    }
    done(true);
    throw new StatementUnconfirmed(error);
  }
}
