import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { daysAhead, makePartitions } from '#postgres/daily-partitions.js';
import { migrate } from '#postgres/migrate.js';
import { type TestDatabase, createEmptyDatabase } from '#testing/database.js';
import { bendTime } from '#testing/system.js';

export type OldVersion = { folder: string; lastMigration: number };

/**
 * A database as this version left it, its clock at the instant of its last row, brought to the newest schema.
 */
export async function databaseOf({ folder, lastMigration }: OldVersion): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await migrate({ databaseUrl: database.url, upTo: lastMigration });
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await bendTime(owner);
  await owner.query(readFileSync(join(folder, FIRST), 'utf8'));
  await makePartitions(owner, 'saved_answers', await daysAhead(owner, -1, 7));
  for (const file of readdirSync(folder)) {
    if (file !== FIRST) await owner.query(readFileSync(join(folder, file), 'utf8'));
  }
  await owner.end();
  const { url: databaseUrl, appUrl, maintenanceUrl } = database;
  await migrate({ databaseUrl, appDatabaseUrl: appUrl, maintenanceDatabaseUrl: maintenanceUrl });
  return database;
}

/** The account, how far the sweeps had come, and the instant. */
const FIRST = 'account-and-marks.sql';
