import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';

/** Gives a command one connection to a database, and closes it however the work ends. */
export async function onDatabase<T>(
  url: string,
  applicationName: string,
  work: (db: Db) => Promise<T>,
  options: { patient?: boolean } = {},
): Promise<T> {
  const pool = openPool({
    url,
    applicationName,
    connectionsMax: 1,
    onIdleError: () => {},
    ...options,
  });
  const db = new Db(pool);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
