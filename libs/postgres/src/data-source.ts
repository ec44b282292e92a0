import type { Pool } from 'pg';
import { type ColumnType, DataSource, type EntitySchema, type MixedList } from 'typeorm';
import { Db } from './db.js';
import { sessionOptions } from './pool.js';

export type DatabaseOptions = {
  url: string;
  applicationName: string;
  connectionsMax: number;
  entities: MixedList<string | (new () => object) | EntitySchema>;
  /** Called for an idle connection that broke; without a listener the process would die of it. */
  onIdleError: (error: Error) => void;
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
    extra: sessionOptions(options.connectionsMax),
  });
  // TypeORM's list of types lacks the one of whole transaction ids.
  source.driver.supportedDataTypes.push('xid8' as ColumnType);
  await source.initialize();
  const pool = (source.driver as unknown as { master: Pool }).master;
  return { source, db: new Db(pool) };
}
