import type { Books, Row } from './books.js';
import { DUMP, TABLES } from './dump.sql.js';

/** The part of `pg`'s client that is needed: whoever has a connection lends it. */
export type Reader = {
  query(text: string): Promise<{ rows: { name: string; row: Row }[] }>;
};

/** Every row that is about money, as of one instant. The connection must be allowed to read them all. */
export async function dumpDatabase(client: Reader): Promise<Books['database']> {
  const database: Books['database'] = Object.fromEntries(TABLES.map((name) => [name, []]));
  const { rows } = await client.query(DUMP);
  for (const { name, row } of rows) database[name]!.push(row);
  return database;
}
