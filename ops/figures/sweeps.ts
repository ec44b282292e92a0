import { FIND_LIVE_OWNERS, FIND_ORPHANS } from '#payments/orphans.sql.js';
import type { Deps } from '#payments/deps.js';
import { sweepLeases } from '#payments/sweep-leases.js';
import { ADVANCE_MARK, TAKE_DUE } from '#payments/sweep.sql.js';
import { type Watch, newWatch, takeOrphans } from '#payments/take-orphans.js';
import type { Db } from '#postgres/db.js';
import { type Plan, explain } from './plans.js';
import * as sql from './plant.sql.js';
import { asPlanter, plantFinished, plantUnknowns } from './plant.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { type Spread, spreadOf } from './spread.js';
import type { Stage } from './stage.js';

export const STUCK = 100;
/** Claims behind the mark whose owner lives and works on them. */
export const IN_FLIGHT = 100;
/** What one pass of the lease sweep walks over at most. */
const WALK_MAX = 5_000;
const STEP_MS = 10;
const HOUR_MS = 3_600_000;
/** No instance has this number. */
const NOBODY = 2_000_000_000;

export type SweepFigures = {
  leaseNothing: Spread;
  orphansAllAlive: Spread;
  orphansReading: Spread;
  /** The pass that walks over 5,000 claims and notes the stuck ones, and all passes until they are final. */
  leaseFinding: { firstMs: number; allMs: number; passes: number };
  orphansFinding: { firstMs: number; allMs: number; passes: number };
  plans: Plan[];
  indexesOnState: string[];
};

/**
 * What the sweeps cost over a million finished keys: passes that find nothing, in the steady state (the
 * mark is past the million, some thousands lie behind it), and passes that find a hundred. The worker has
 * been stopped: the passes run here, one after the other.
 */
export async function measureSweeps(stage: Stage, db: Db, scale: Scale): Promise<SweepFigures> {
  const { ownerUrl } = stage;
  const { finishedKeys, behindMark, passes } = scale;
  const from = new Date(Date.now() - 24 * HOUR_MS);
  const keys = { from, stepMs: STEP_MS, count: finishedKeys };
  await plantFinished(ownerUrl, db, { ...keys, first: 1 });
  // Claims of the next hour, so that they stay behind the mark for as long as is measured.
  const soon = new Date(Date.now() + HOUR_MS);
  const young = { from: new Date(soon.getTime() - finishedKeys), stepMs: 1, count: behindMark };
  await plantFinished(ownerUrl, db, { ...young, first: finishedKeys + 1 });
  await asPlanter(ownerUrl, (planter) => planter.query(sql.VACUUM_KEYS));
  await db.run(sql.SET_MARK, [soon]);
  await plantUnknowns(ownerUrl, db, { count: STUCK, from, stepMs: 1, dueInMs: HOUR_MS });

  const core = await stage.openCore();
  try {
    const { deps } = core;
    const lease = { owner: deps.instance.id, ms: HOUR_MS };
    await plantUnknowns(ownerUrl, db, {
      count: IN_FLIGHT,
      from: soon,
      stepMs: 1,
      lease,
      dueInMs: null,
    });
    progress('passes that find nothing');
    const quiet = newWatch();
    const leaseNothing = await timed(passes, () => leasePass(deps));
    await takeOrphans(deps, quiet, REQUEST);
    quiet.readUntilMs = 0;
    const orphansAllAlive = await timed(passes, () => orphanPass(deps, quiet));
    const reading: Watch = { ...newWatch(), alive: new Set(), readUntilMs: Infinity };
    const orphansReading = await timed(passes, () => orphanPass(deps, reading));
    const plans = await explainAll(ownerUrl, deps);
    progress(`passes that find ${STUCK}`);
    const orphansFinding = await findOrphans(stage, db, deps, soon);
    const leaseFinding = await findStuck(stage, db, deps, { from, finishedKeys });
    const indexes = await db.run(sql.FIND_INDEXES_ON_STATE, []);
    return {
      leaseNothing,
      orphansAllAlive,
      orphansReading,
      leaseFinding,
      orphansFinding,
      plans,
      indexesOnState: indexes.map(({ name }) => name),
    };
  } finally {
    await core.close();
  }
}

const REQUEST = 'wrk_figures';

type Pass = () => Promise<{ done: number; found: number }>;

async function leasePass(deps: Deps) {
  const { found, finished } = await sweepLeases(deps, REQUEST);
  return { found, done: Object.values(finished).reduce((sum, count) => sum + count, 0) };
}

async function orphanPass(deps: Deps, watch: Watch) {
  const { taken } = await takeOrphans(deps, watch, REQUEST);
  return { found: taken, done: taken };
}

async function timed(passes: number, pass: Pass): Promise<Spread> {
  const timesMs: number[] = [];
  for (let at = 0; at < passes; at++) {
    const startMs = performance.now();
    const { found, done } = await pass();
    timesMs.push(performance.now() - startMs);
    if (found + done > 0) throw new Error('a pass that was to find nothing found something');
  }
  return spreadOf(timesMs);
}

/** Owners that died an instant ago and are waited for no longer: their claims lie behind the mark. */
async function findOrphans(stage: Stage, db: Db, deps: Deps, soon: Date) {
  const lease = { owner: NOBODY, ms: HOUR_MS };
  const orphans = { count: STUCK, from: soon, stepMs: 1, lease, dueInMs: null };
  await plantUnknowns(stage.ownerUrl, db, orphans);
  const watch: Watch = {
    ...newWatch(),
    alive: new Set(),
    readUntilMs: Infinity,
    missing: new Map([[NOBODY, 0]]),
  };
  return untilDone(() => orphanPass(deps, watch));
}

/** The stuck ones are the last claims that the mark has still to pass, among finished ones. */
async function findStuck(
  stage: Stage,
  db: Db,
  deps: Deps,
  { from, finishedKeys }: { from: Date; finishedKeys: number },
) {
  const walked = Math.min(WALK_MAX, finishedKeys) - STUCK;
  const markMs = from.getTime() + (finishedKeys - walked) * STEP_MS;
  const stuck = { count: STUCK, from: new Date(markMs), stepMs: STEP_MS, dueInMs: null };
  await plantUnknowns(stage.ownerUrl, db, stuck);
  await db.run(sql.SET_MARK, [new Date(markMs)]);
  return untilDone(() => leasePass(deps));
}

async function untilDone(pass: Pass) {
  const startMs = performance.now();
  let [done, passes, firstMs] = [0, 0, 0];
  while (done < STUCK) {
    done += (await pass()).done;
    passes += 1;
    if (passes === 1) firstMs = performance.now() - startMs;
    if (passes > STUCK) throw new Error(`passes finish nothing: ${done} of ${STUCK}`);
  }
  return { firstMs, allMs: performance.now() - startMs, passes };
}

function explainAll(url: string, { terms }: Deps): Promise<Plan[]> {
  const trailMs = terms.leaseMs + 6_000;
  return asPlanter(url, async (planter) => [
    await explain(planter, ADVANCE_MARK, [trailMs, WALK_MAX, 'leases']),
    await explain(planter, TAKE_DUE, [8_000, 20]),
    await explain(planter, FIND_LIVE_OWNERS, []),
    await explain(planter, FIND_ORPHANS, [50]),
  ]);
}
