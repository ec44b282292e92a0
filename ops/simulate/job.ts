import { join } from 'node:path';
import type { Violation } from '../checker/books.js';
import { writeList } from './list.js';
import { ALL_ENDS } from './ends.js';
import type { Tamper } from './network.js';
import { writePicture } from './picture.js';
import { planOf } from './plan.js';
import { Swarm } from './policy.js';
import { type Result, runSchedule } from './run.js';
import { shrink } from './shrink.js';
import { departures } from './systematic.js';
import { addSometimes } from './sometimes.js';
import { Stage } from './stage.js';

/** A share of the seeds: `first`, `first + step`, … up to `last`. */
export type Share = {
  serverUrl: string;
  database: string;
  first: number;
  last: number;
  step: number;
  /** Null: seeds. Else every single departure from calm instead of them, and so many pairs. */
  pairs: number | null;
  /** No schedule begins after this instant of the wall clock. Null: all of them do. */
  untilMs: number | null;
  /** Where lists of failing schedules go. */
  out: string;
  /** The first failure ends it, and its list is kept as it is. */
  endsAtFirst: boolean;
};

export type Failure = { seed: string; file: string; violations: Violation[]; choices: number };

/** What a share has come to so far. Counts add up over shares. */
export type Tally = {
  /** The first seed that is still to come. */
  next: number;
  schedules: number;
  steps: number;
  sometimes: Record<string, number | null>;
  /** Each kind of step with what became of it, and each kind of answer: how often. */
  covered: Record<string, number>;
  failures: Failure[];
};

/** After so many failing seeds there is more to be learnt from the lists than from the next one. */
const FAILURES_MAX = 5;

/** Runs one share, and tells of its tally after every schedule. */
export async function runShare(
  share: Share,
  tell: (tally: Tally) => void,
  stopped: AbortSignal,
): Promise<Tally> {
  const tally: Tally = {
    next: share.first,
    schedules: 0,
    steps: 0,
    sometimes: {},
    covered: {},
    failures: [],
  };
  const { untilMs } = share;
  const isOver = () => stopped.aborted || (untilMs !== null && Date.now() >= untilMs); // tidy-allow: how long to go on
  const stage = await Stage.open(share.serverUrl, share.database);
  try {
    for await (const result of share.pairs === null ? bySeed(stage, share) : byHand(stage, share)) {
      await add(tally, stage, share, result, isOver);
      tell(tally);
      if (isOver()) break;
      if (tally.failures.length >= (share.endsAtFirst ? 1 : FAILURES_MAX)) break;
    }
  } finally {
    await stage.close();
  }
  return tally;
}

async function* bySeed(stage: Stage, { first, last, step }: Share): AsyncGenerator<Result> {
  for (let seed = first; seed <= last; seed += step) yield runSeed(stage, String(seed));
}

function byHand(stage: Stage, { first, step, pairs }: Share): AsyncGenerator<Result> {
  return departures(stage, pairs ?? 0, (index) => index % step === first % step);
}

async function add(
  tally: Tally,
  stage: Stage,
  share: Share,
  result: Result,
  isOver: () => boolean,
): Promise<void> {
  tally.next += share.step;
  tally.schedules += 1;
  tally.steps += result.steps;
  addSometimes(tally.sometimes, result.sometimes);
  for (const [what, count] of result.covered)
    tally.covered[what] = (tally.covered[what] ?? 0) + count;
  if (result.violations.length > 0)
    tally.failures.push(await save(stage, share, result, { number: tally.schedules, isOver }));
}

export function runSeed(stage: Stage, seed: string, tamper?: Tamper): Promise<Result> {
  return runSchedule(stage, planOf(seed), new Swarm(seed, ALL_ENDS), tamper);
}

/** Keeps the shortest list that still shows it. */
async function save(
  stage: Stage,
  { out, endsAtFirst, pairs, first }: Share,
  result: Result,
  { number, isOver }: { number: number; isOver: () => boolean },
): Promise<Failure> {
  const shown = endsAtFirst ? result : await shrink(stage, result, isOver);
  const { plan, choices, violations } = shown;
  const invariants = [...new Set(violations.map(({ invariant }) => invariant))];
  const name = pairs === null ? `seed-${result.seed}` : `${result.seed}-${first}-${number}`;
  const file = join(out, 'lists', `${name}.json`);
  const about = violations[0]?.says ?? '';
  writeList(file, { invariants, about, plan, choices });
  writePicture(join(out, 'lists', `${name}.svg`), shown);
  return { seed: result.seed, file, violations, choices: choices.length };
}
