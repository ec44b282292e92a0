import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { type ColumnType, DataSource, type EntitySchema, type MixedList } from 'typeorm';
import { Db, type OnConnect, Tx } from './db.js';
import { SESSION_LIMITS, sessionOptions } from './pool.js';

export type DatabaseOptions = {
  url: string;
  applicationName: string;
  connectionsMax: number;
  entities: MixedList<string | (new () => object) | EntitySchema>;
  /** Called for an idle connection that broke; without a listener the process would die of it. */
  onIdleError: (error: Error) => void;
  /** Sees every new connection before anybody gets it; one that it rejects, or takes too long for, is closed. */
  onConnect?: OnConnect;
};

export type Database = { db: Db; source: DataSource };

/**
 * Opens one pool for both worlds: TypeORM's repositories for reads, and `Db` for every statement on a
 * money path. Limits are asked for with each connection, so that they hold whatever the role says.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const source = new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    entities: options.entities,
    synchronize: false,
    poolErrorHandler: options.onIdleError,
    extra: {
      ...sessionOptions(options.connectionsMax),
      ...(options.onConnect && seenBy(options.onConnect)),
    },
  });
  // TypeORM's list of types lacks the one of whole transaction ids.
  source.driver.supportedDataTypes.push('xid8' as ColumnType);
  await source.initialize();
  const pool = (source.driver as unknown as { master: Pool }).master;
  return { source, db: new Db(pool) };
}

/** The limit of connecting is one for both, connecting and this: the lease arithmetic counts on it. */
function seenBy(onConnect: OnConnect) {
  return {
    Client: TimedClient,
    onConnect: async (client: TimedClient): Promise<void> => {
      const over = new AbortController();
      const leftMs = SESSION_LIMITS.connectMs - (performance.now() - client.madeMs);
      const late = pause(leftMs, 'late', { signal: over.signal }).catch(() => 'ended');
      try {
        const end = await Promise.race([onConnect(new Tx(client, () => {})), late]);
        if (end === 'late') throw new Error('The new connection was not looked at in time');
      } finally {
        over.abort();
      }
    },
  };
}

class TimedClient extends Client {
  readonly madeMs = performance.now();
}
