import pg from 'pg';
import type { Session } from './daily-partitions.js';

/**
 * Runs `work` on a connection of its own, outside any pool and any transaction: for statements that
 * cannot be prepared or that wait long, such as DETACH CONCURRENTLY.
 */
export async function withSession<T>(
  {
    url,
    applicationName,
    statementMs,
  }: { url: string; applicationName: string; statementMs: number },
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementMs,
  });
  client.on('error', () => {}); // the running query rejects with it
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
