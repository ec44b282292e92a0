import { Agent } from 'node:http';
import type { Db } from '#postgres/db.js';
import * as sql from './figures.sql.js';
import { send } from './loops.js';
import { progress } from './progress.js';
import { until } from '../until.js';
import { mockState } from './quiet.js';
import type { Scale } from './scale.js';
import { type Spread, spreadOf } from './spread.js';
import type { Child, Stage } from './stage.js';
import { paymentShot } from './traffic.js';

/** Slow enough that all of a round are at the processor at once, on a machine that is not busy. */
export const PROCESSOR_MS = 2_000;

/**
 * From the `kill -9` of the only API to the end of each payment that it had in flight, by the database's
 * clock, with the worker that was running. The API stays dead until all are final.
 */
export async function measureCrashes(
  stage: Stage,
  db: Db,
  { crashes, inFlight }: Scale,
): Promise<{ spread: Spread; api: Child }> {
  const timesMs: number[] = [];
  let api = await stage.startApi();
  for (let round = 1; round <= crashes; round++) {
    const afterMs = await crash(stage, db, api, inFlight);
    timesMs.push(...afterMs);
    progress(`crash ${round}: ${JSON.stringify(spreadOf(afterMs))}`);
    api = await stage.startApi();
  }
  return { spread: spreadOf(timesMs), api };
}

async function crash(stage: Stage, db: Db, api: Child, inFlight: number): Promise<number[]> {
  const agent = new Agent();
  let answered = false;
  const cut = Array.from({ length: inFlight }, async () => {
    const shot = paymentShot(stage.apiKey, `pm_test_slow_${PROCESSOR_MS}`);
    const status = await send(agent, stage.apiUrl, shot).catch(() => 0);
    answered ||= status > 0;
  });
  // A machine that cannot bring all of them there in time has fewer in flight; they are counted.
  await until(`${inFlight} payments at the processor`, { withinMs: 30_000 }, async () => {
    return answered || (await mockState(stage.mockUrl)).running_keys >= inFlight;
  });
  const [killed] = await db.run(sql.READ_CLOCK, []);
  await api.end('SIGKILL');
  await Promise.all(cut);
  const ids = (await db.run(sql.FIND_PENDING, [])).map(({ id }) => id);
  await until('the payments of a dead API are final', { withinMs: 120_000 }, async () => {
    return (await db.run(sql.FIND_PENDING, [])).length === 0;
  });
  const settled = await db.run(sql.READ_SETTLED, [ids, killed?.now]);
  return settled.map(({ after_ms: afterMs }) => afterMs);
}
