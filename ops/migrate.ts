import { roleUrls } from '#embedded/role-urls.js';
import { withDatabase } from '#embedded/with-database.js';
import { nothingLost } from '#payments/recognize-server.js';
import { readConfig } from '#platform/config.js';
import { migrate } from '#postgres/migrate.js';
import { buildKind } from '#seams/build-kind.js';
import { systemRandom } from '#seams/random.js';
import { refuseWords, runCommand } from './command.js';
import { onDatabase } from './on-database.js';
import { makeDemoKey } from './start/demo-key.js';

const HELP = `npm run migrate

Brings the database to the newest schema: migrations, the roles of the services and their rights, and
the daily partitions. Safe to run twice, at once, and while older code serves traffic.

It finds the embedded database by itself; DATABASE_URL names another (its owner's address). The roles
are those of APP_DATABASE_URL and MAINTENANCE_DATABASE_URL, else payonce_app and payonce_maintenance,
made where this owner may.

  --nothing-lost  says that the server of this moment goes on where the one before it had ended, as after a planned
                  fail-over: services that wait for what may be lost since (database_set_back) open at once
  --demo-key      also makes the key in PAYONCE_DEMO_KEY, which everybody knows: for demonstrations only
`;

const OPTIONS = { 'demo-key': { type: 'boolean' }, 'nothing-lost': { type: 'boolean' } } as const;

/** `npm run migrate`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: OPTIONS }, async (values, words) => {
    refuseWords(words);
    const config = readConfig(process.env);
    await withDatabase({ env: process.env, random: systemRandom }, async (databaseUrl) => {
      const derived = roleUrls(databaseUrl);
      const { applied } = await migrate({
        databaseUrl,
        appDatabaseUrl: config.appDatabaseUrl ?? derived.appUrl,
        maintenanceDatabaseUrl: config.maintenanceDatabaseUrl ?? derived.maintenanceUrl,
        answersDays: config.answersDays,
        log: (line) => process.stderr.write(`${line}\n`),
      });
      const demoKey = process.env['PAYONCE_DEMO_KEY'];
      if (values['demo-key'] && demoKey && buildKind === 'demonstration')
        await makeDemoKey(databaseUrl, demoKey);
      if (values['nothing-lost']) await openServices(databaseUrl);
      process.stderr.write(applied.length === 0 ? 'The schema is up to date.\n' : 'Done.\n');
    });
    return 0;
  });
}

async function openServices(databaseUrl: string): Promise<void> {
  const ended = await onDatabase(databaseUrl, 'payonce-migrate', nothingLost);
  const since = ended.map((at) => at.toISOString()).join(', ');
  process.stderr.write(
    ended.length === 0
      ? 'Noted this server: nothing was lost with it.\n'
      : `Noted this server, and opened what waited for the import since ${since}.\n`,
  );
}
