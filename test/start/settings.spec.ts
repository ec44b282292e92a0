import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { rows } from './database-rows.js';
import {
  processes,
  removeHomes,
  START_TEST_MS,
  StartRun,
  type StartOptions,
  temporaryHome,
} from './run-start.js';

vi.setConfig({ testTimeout: START_TEST_MS, hookTimeout: START_TEST_MS });

const runs: StartRun[] = [];
const servers: Server[] = [];

const sharedHome = temporaryHome();

/** The run that several tests use one after the other. */
let lasting: StartRun | undefined;
const lastingRun = async () => (lasting ??= await startTwice());

function start(options: Partial<StartOptions> = {}): StartRun {
  const run = new StartRun({ ...options, home: options.home ?? sharedHome });
  runs.push(run);
  return run;
}

afterAll(async () => {
  await lasting?.cleanUp();
  removeHomes();
});

afterEach(async () => {
  for (const run of runs.splice(0)) if (run !== lasting) await run.cleanUp();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Listens on the port; somebody else who already does is as good. */
async function occupy(port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(port) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => {
      servers.push(server);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

it('refuses a port that was asked for and is taken, by name, and starts nothing', async () => {
  const port = await occupy(0);
  const run = start({ env: { PORT: String(port) } });
  expect(await run.ended).toBe(1);
  expect(run.output).toContain(`PORT=${port} is taken`);
  expect(run.output).not.toContain('Making a new database');
});

it.each([
  { PORT: 'abc' },
  { MOCK_PORT: '99999' },
  { PROCESSOR_TIMEOUT_MS: 'soon' },
  { DATABASE_URL: 'mysql://somewhere' },
])('names a wrong setting at once and exits 1: %o', async (env) => {
  const run = start({ env });
  expect(await run.ended).toBe(1);
  expect(run.output).toContain(Object.keys(env)[0]);
  expect(run.output).not.toContain('Making a new database');
});

it('says in one line that a database of yours cannot be used', async () => {
  const run = start({ env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' } });
  expect(await run.ended).toBe(1);
  expect(run.output).toMatch(/^DATABASE_URL: the database cannot be used: .*127\.0\.0\.1:1$/m);
  expect(run.output).not.toContain('    at ');
});

it('stops everything with 1, and says which service, when one refuses its configuration', async () => {
  const home = temporaryHome();
  mkdirSync(join(home, 'mock'));
  writeFileSync(join(home, 'mock', 'book.jsonl'), 'no book\nat all\n');
  const run = start({ home });
  expect(await run.ended).toBe(1);
  expect(run.output).toMatch(/mock-processor refuses its configuration \(exit 78\)/);
  expect(run.output).not.toContain('starting it again');
  expect(processes().filter(({ command }) => command.includes(home))).toEqual([]);
});

it('says what it does not understand, and explains itself', async () => {
  const unknown = start({ args: ['--frehs'] });
  expect(await unknown.ended).toBe(1);
  expect(unknown.output).toContain(`Unknown option '--frehs'`);
  const help = start({ args: ['--help'] });
  expect(await help.ended).toBe(0);
  expect(help.output).toContain('--fresh');
});

it('refuses a second start of one checkout clearly, and the first goes on', async () => {
  const { record } = await lastingRun();
  expect((await fetch(`${record.apiUrl}/health/ready`)).status).toBe(200);
});

it('takes the next free port when the usual one is taken, says so, and the curl follows', async () => {
  const run = await lastingRun();
  const [, port] = await run.untilSays(/Port 3000 is taken, so payments-api uses (\d+)/);
  expect(run.output).toContain(`curl -i http://127.0.0.1:${port}/v1/payments`);
  expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
});

it('writes ANSWERS_DAYS into the database, so that the services agree with it', async () => {
  const { record } = await lastingRun();
  const kept = await rows(record.databaseUrl, 'SELECT answers_days FROM settings');
  expect(kept).toEqual([{ answers_days: 9 }]);
});

it('keeps payments over a restart, and begins anew with --fresh', async () => {
  const first = await lastingRun();
  const command = first.printedCommand();
  expect(await first.paste(command)).toMatchObject({ status: 201, replayed: false });
  first.child.kill('SIGTERM');
  await first.ended;

  const second = await start().untilReady();
  expect(await second.paste(command)).toMatchObject({ status: 201, replayed: true });
  expect(second.printedCommand().split('\n')[2]).not.toBe(command.split('\n')[2]);
  second.child.kill('SIGTERM');
  await second.ended;

  const third = await start({ args: ['--fresh'] }).untilReady();
  expect(await third.book()).toEqual([]);
  expect(await third.paste(command)).toMatchObject({ status: 201, replayed: false });
});

/** Two starts of one checkout at once, while somebody else has the usual port: one of them refuses. */
async function startTwice(): Promise<StartRun> {
  await occupy(3000);
  const env = { PORT: undefined, ANSWERS_DAYS: '9' };
  const [first, second] = [start({ env }), start({ env })];
  const code = await Promise.race([first.ended, second.ended]);
  expect(code).toBe(1);
  const [loser, winner] = first.child.exitCode === null ? [second, first] : [first, second];
  expect(loser.output).toMatch(/Payonce already runs from this checkout \(pid \d+\)/);
  expect(loser.output).not.toContain('topped');
  return winner.untilReady();
}
