import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { rows } from './database-rows.js';
import {
  kill,
  processes,
  removeHomes,
  START_TEST_MS,
  StartRun,
  temporaryHome,
  until,
  untilGone,
} from './run-start.js';

vi.setConfig({ testTimeout: START_TEST_MS, hookTimeout: START_TEST_MS });

const runs: StartRun[] = [];

// One after the other in one folder, so that every kind of end is followed by a start that must work.
const home = temporaryHome();

function start(): StartRun {
  const run = new StartRun({ home });
  runs.push(run);
  return run;
}

/** The run that several tests use one after the other; the last of them stops it. */
let lasting: StartRun | undefined;
const lastingRun = async () => (lasting ??= await start().untilReady());

afterEach(async () => {
  for (const run of runs.splice(0)) if (run !== lasting) await run.cleanUp();
});

afterAll(async () => {
  await lasting?.cleanUp();
  removeHomes();
});

it('stops everything when it is asked to before it is ready', async () => {
  const run = start();
  await run.untilSays(/Making a new database/);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
  // At once, not only when an orphan has noticed: the database is waited for before the end.
  expect(processes().filter(({ command }) => command.includes(home))).toEqual([]);
  expect(run.output).not.toContain('Payonce is ready');
});

it('stops everything on Ctrl-C, and an impatient second one leaves nothing behind', async () => {
  const run = await start().untilReady();
  const tree = run.tree();
  const group = -(run.child.pid ?? 0); // a terminal signals the whole foreground group
  process.kill(group, 'SIGINT');
  await run.untilSays(/Stopping/);
  kill(group, 'SIGINT');
  await run.ended;
  await untilGone(tree);
  expect(run.output).toContain('Everything has stopped');
});

it('leaves no process behind when npm is killed', async () => {
  const run = await start().untilReady();
  const tree = run.tree();
  run.child.kill('SIGKILL');
  await expect(untilGone(tree)).resolves.toBeUndefined();
});

it('leaves no process behind when the supervisor is killed', async () => {
  const run = await start().untilReady();
  const tree = run.tree();
  kill(run.pidOf('ops/run.mjs'), 'SIGKILL');
  await expect(untilGone(tree)).resolves.toBeUndefined();
});

it('starts after a kill -9 of everything, and the printed command still replays', async () => {
  const first = await start().untilReady();
  const command = first.printedCommand();
  const charged = await first.paste(command);
  expect(charged).toMatchObject({ status: 201, replayed: false });
  const book = await first.book();
  const tree = first.tree();
  // The guard first, in the instant before it could see its supervisor die.
  kill(first.pidOf('read -r word'), 'SIGKILL');
  for (const { pid } of tree.filter((process) => !process.command.includes('bin/postgres'))) {
    kill(pid, 'SIGKILL');
  }
  await first.ended;
  // PostgreSQL lives, with nobody left who would stop it.
  await untilGone(tree.filter((process) => !process.command.includes('postgres')));
  const second = await lastingRun();
  expect(second.output).toMatch(
    /Stopping the PostgreSQL server \(pid \d+\) that an earlier run left/,
  );
  expect(await second.paste(command)).toEqual({ ...charged, replayed: true });
  expect(await second.book()).toEqual(book);
  await untilGone(tree);
});

it('names a service that died and starts it again', async () => {
  const run = await lastingRun();
  const killed = run.pidOf('payments-api');
  kill(killed, 'SIGKILL');
  await run.untilSays(/payments-api died \(signal SIGKILL\); starting it again in 0\.5 s/);
  await until('the API answers again', async () => {
    const answer = await fetch(`${run.record.apiUrl}/health/ready`).catch(() => undefined);
    return answer?.status === 200 ? true : undefined;
  });
  expect(run.pidOf('payments-api')).not.toBe(killed);
});

it('starts PostgreSQL again when it died, with every committed row', async () => {
  const run = await lastingRun();
  await rows(run.record.databaseUrl, 'CREATE TABLE kept AS SELECT 7 AS seven');
  kill(run.pidOf('bin/postgres'), 'SIGKILL');
  await run.untilSays(/PostgreSQL died; starting it again/);
  await run.untilSays(/PostgreSQL is back/);
  expect(await rows(run.record.databaseUrl, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
});

it('stops everything in order on a SIGTERM that only npm gets, and exits 0', async () => {
  const run = await lastingRun();
  const tree = run.tree();
  for (const name of ['payments-api', 'recovery-worker', 'mock-processor', 'postgres'])
    run.pidOf(name);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
  await untilGone(tree);
  expect(run.output).toContain('Everything has stopped');
});
