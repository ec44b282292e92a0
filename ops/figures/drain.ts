import { FIND_LIVE_OWNERS } from '#payments/orphans.sql.js';
import type { Db } from '#postgres/db.js';
import * as sql from './figures.sql.js';
import { MAKE_DUE } from './plant.sql.js';
import { plantUnknowns } from './plant.js';
import { progress } from './progress.js';
import { until } from '../until.js';
import type { Scale } from './scale.js';
import type { Stage } from './stage.js';

const NOT_YET_MS = 3_600_000;
const STARTS_WITHIN_MS = 60_000;
const DRAINED_WITHIN_MS = 600_000;

/**
 * Payments a second of a backlog of unknown ones, all due at one instant: each is taken up, sent again
 * under its own key to a processor at 0 ms, which charges it, and recorded. No API runs beside.
 */
export async function measureDrain(
  stage: Stage,
  db: Db,
  { backlog }: Scale,
  workers: number,
): Promise<number> {
  progress(`a backlog of ${backlog}, workers: ${workers}`);
  const from = new Date();
  await plantUnknowns(stage.ownerUrl, db, { count: backlog, from, stepMs: 1, dueInMs: NOT_YET_MS });
  const running = Array.from({ length: workers }, () => stage.startWorker());
  await until('the workers are there', { withinMs: STARTS_WITHIN_MS }, async () => {
    running.forEach(({ ended }) => ended.throwIfAborted());
    return (await db.run(FIND_LIVE_OWNERS, [])).length >= workers;
  });
  const ids = (await db.run(sql.FIND_PENDING, [])).map(({ id }) => id);
  const [clock] = await db.run(sql.READ_CLOCK, []);
  await db.run(MAKE_DUE, [clock?.now]);
  await until('the backlog is drained', { withinMs: DRAINED_WITHIN_MS }, async () => {
    const [left] = await db.run(sql.COUNT_UNSETTLED, []);
    return left?.count === 0;
  });
  const settled = await db.run(sql.READ_SETTLED, [ids, clock?.now]);
  const tookMs = Math.max(...settled.map(({ after_ms: afterMs }) => afterMs));
  await Promise.all(running.map((worker) => worker.end('SIGTERM')));
  const perSecond = (ids.length * 1000) / tookMs;
  progress(`drained ${ids.length} in ${Math.round(tookMs / 1000)} s`);
  return perSecond;
}
