import { readConfig } from '#platform/config.js';
import { migrate } from '#postgres/migrate.js';
import { buildKind } from '#seams/build-kind.js';
import { makeDemoKey } from './start/demo-key.js';
import { say } from './start/say.js';

/**
 * What `docker compose` runs before the services: the schema, the roles, and in the demonstration
 * build the demo key, since the database of those containers is there for nothing else.
 */
export async function main(): Promise<void> {
  const { databaseUrl, appDatabaseUrl, maintenanceDatabaseUrl, answersDays } = readConfig(
    process.env,
  );
  if (databaseUrl === null) throw new Error('DATABASE_URL is not set');
  const roles = {
    appDatabaseUrl: appDatabaseUrl ?? undefined,
    maintenanceDatabaseUrl: maintenanceDatabaseUrl ?? undefined,
  };
  await migrate({ databaseUrl, ...roles, answersDays, log: say });
  const key = process.env['PAYONCE_DEMO_KEY'];
  if (buildKind === 'demonstration' && key) await makeDemoKey(databaseUrl, key);
  say('The database is ready');
}
