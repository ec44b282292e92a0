import { join } from 'node:path';
import type { Random } from '#seams/random.js';
import { payonceHome } from './home.js';
import { startPostgres } from './postgres-server.js';
import { takeRun } from './run-lock.js';
import { currentRunRecord } from './run-record.js';

/**
 * Gives a command the owner's address of the database that it is meant for: the one that
 * `DATABASE_URL` names, else the embedded one of the start that runs from this checkout, else the
 * embedded one started for this command alone and stopped after it.
 */
export async function withDatabase<T>(
  options: { env: NodeJS.ProcessEnv; random: Random; log?: (line: string) => void },
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const { env, random, log } = options;
  if (env['DATABASE_URL']) return work(env['DATABASE_URL']);
  const home = payonceHome();
  const running = currentRunRecord(home)?.databaseUrl;
  if (running) return work(running);

  const release = await takeRun(home, random);
  try {
    const folder = join(home, 'postgres');
    const server = await startPostgres(log ? { folder, log } : { folder });
    try {
      return await work(server.ownerUrl);
    } finally {
      await server.stop();
    }
  } finally {
    release();
  }
}
