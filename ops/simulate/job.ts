import { join } from 'node:path';
import type { Violation } from '../checker/books.js';
import { writeList } from './list.js';
import { ALL_ENDS } from './ends.js';
import type { Tamper } from './network.js';
import { planOf } from './plan.js';
import { Swarm } from './policy.js';
import { type Result, runSchedule } from './run.js';
import { shrink } from './shrink.js';
import { Stage } from './stage.js';

/** A share of the seeds: `first`, `first + step`, … up to `last`. */
export type Share = {
  serverUrl: string;
  database: string;
  first: number;
  last: number;
  step: number;
  /** No schedule begins after this instant of the wall clock. Null: all of them do. */
  untilMs: number | null;
  /** Where lists of failing schedules go. */
  out: string;
};

export type Failure = { seed: string; file: string; violations: Violation[]; choices: number };

/** What a share has come to so far. Counts add up over shares. */
export type Tally = {
  schedules: number;
  steps: number;
  sometimes: Record<string, number>;
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
  const tally: Tally = { schedules: 0, steps: 0, sometimes: {}, failures: [] };
  const stage = await Stage.open(share.serverUrl, share.database);
  try {
    for (let seed = share.first; seed <= share.last; seed += share.step) {
      if (stopped.aborted || (share.untilMs !== null && Date.now() >= share.untilMs)) break; // tidy-allow: how long to go on
      const result = await runSeed(stage, String(seed));
      tally.schedules += 1;
      tally.steps += result.steps;
      for (const [what, count] of result.sometimes)
        tally.sometimes[what] = (tally.sometimes[what] ?? 0) + count;
      if (result.violations.length > 0) tally.failures.push(await save(stage, share, result));
      tell(tally);
      if (tally.failures.length >= FAILURES_MAX) break;
    }
  } finally {
    await stage.close();
  }
  return tally;
}

export function runSeed(stage: Stage, seed: string, tamper?: Tamper): Promise<Result> {
  return runSchedule(stage, planOf(seed), new Swarm(seed, ALL_ENDS), tamper);
}

/** Keeps the shortest list that still shows it. */
async function save(stage: Stage, { out }: Share, result: Result): Promise<Failure> {
  const { plan, choices, violations } = await shrink(stage, result);
  const invariants = [...new Set(violations.map(({ invariant }) => invariant))];
  const file = join(out, 'lists', `seed-${result.seed}.json`);
  const about = violations[0]?.says ?? '';
  writeList(file, { invariants, about, plan, choices });
  return { seed: result.seed, file, violations, choices: choices.length };
}
