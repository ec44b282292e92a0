import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, inject, it, vi } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '#testing/database.js';
import { copyCheckout, otherUser } from './copied-checkout.js';
import { rows } from './database-rows.js';
import {
  removeHomes,
  START_TEST_MS,
  StartRun,
  type StartOptions,
  temporaryHome,
  untilGone,
} from './run-start.js';

vi.setConfig({ testTimeout: START_TEST_MS, hookTimeout: START_TEST_MS });

const runs: StartRun[] = [];
const folders: string[] = [];
const databases: TestDatabase[] = [];

function start(options: StartOptions): StartRun {
  const run = new StartRun(options);
  runs.push(run);
  return run;
}

afterAll(removeHomes);

afterEach(async () => {
  for (const run of runs.splice(0)) await run.cleanUp();
  for (const database of databases.splice(0)) await database.drop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const nobody = otherUser();

// Skipped where nobody else's account can be used; the name says why.
it.skipIf('skip' in nobody)(
  `runs as another OS user, in a folder that others cannot enter${'skip' in nobody ? ` (skipped: ${nobody.skip})` : ''}`,
  async () => {
    if ('skip' in nobody) return;
    const { folder, checkout } = copyCheckout({ owner: nobody });
    folders.push(folder);
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, nobody.uid, nobody.gid);
    const run = start({
      home: join(home, '.local/share/payonce/kept'),
      cwd: checkout,
      identity: nobody,
      env: { HOME: home, npm_config_cache: join(home, '.npm') },
    });
    await run.untilReady();
    expect(await run.paste(run.printedCommand())).toMatchObject({ status: 201 });
    const server = run.pidOf('bin/postgres');
    const uid = execFileSync('ps', ['-o', 'uid=', '-p', String(server)], { encoding: 'utf8' });
    expect(Number(uid)).toBe(nobody.uid);
    const kept = statSync(join(home, '.local/share/payonce/kept'));
    expect({ mode: kept.mode & 0o777, uid: kept.uid }).toEqual({ mode: 0o700, uid: nobody.uid });
    const tree = run.tree();
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    await untilGone(tree);
  },
);

it('uses the database that DATABASE_URL names, and makes no demo key there', async () => {
  const database = await createEmptyDatabase(inject('postgresUrl'));
  databases.push(database);
  const run = start({ home: temporaryHome(), env: { DATABASE_URL: database.url } });
  await run.untilReady();
  expect(run.output).toContain('npm run keys -- create --account');
  expect(run.output).not.toContain('po_test_');
  expect(run.tree().some(({ command }) => command.includes('bin/postgres'))).toBe(false);
  expect(await rows(database.url, 'SELECT FROM api_keys')).toEqual([]);
  const users = `SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database()
    AND pid <> pg_backend_pid() AND application_name LIKE '%api%'`;
  expect(await rows(database.url, users)).toEqual([{ usename: 'payonce_app' }]);
});

it('says what rests on the trigger alone when the owner may not make roles, and still runs', async () => {
  const database = await createEmptyDatabase(inject('postgresUrl'));
  databases.push(database);
  const owner = `owner_${process.pid}`;
  const name = new URL(database.url).pathname.slice(1);
  await rows(database.url, `CREATE ROLE ${owner} LOGIN PASSWORD 'own' NOCREATEROLE`);
  await rows(database.url, `ALTER DATABASE ${name} OWNER TO ${owner}`);
  const url = new URL(database.url);
  url.username = owner;
  url.password = 'own';
  const run = start({ home: temporaryHome(), env: { DATABASE_URL: url.href } });
  await run.untilReady();
  expect(run.output).toMatch(/Services run as the database's owner/);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
  await database.drop();
  await rows(inject('postgresUrl'), `DROP ROLE ${owner}`);
});
