import { setTimeout as pause } from 'node:timers/promises';
import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import type { Statement } from '#postgres/statement.js';

const TRIES_MAX = 400;

/** The owner's way into the database, which outlives the database's crashes. */
export class Owner {
  readonly #db: Db;

  constructor(url: string) {
    const options = { url, applicationName: 'prove', connectionsMax: 2, onIdleError: () => {} };
    this.#db = new Db(openPool(options));
  }

  /** Again, as long as the database is away: only for statements that may run twice. */
  async run<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#db.run(statement, values);
      } catch (error) {
        if (tries === TRIES_MAX) throw error;
        await pause(100);
      }
    }
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}
