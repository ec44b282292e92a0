import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '#embedded/home.js';
import { commitOf } from '../proof/runs.js';
import type { Tally } from './job.js';
import { addSometimes, neverMet } from './sometimes.js';

/** Several shares as one. */
export function summed(tallies: readonly Tally[]): Tally {
  const whole: Tally = {
    next: Infinity,
    schedules: 0,
    steps: 0,
    sometimes: {},
    covered: {},
    failures: [],
  };
  for (const { next, schedules, steps, sometimes, covered, failures } of tallies) {
    whole.next = Math.min(whole.next, next);
    whole.schedules += schedules;
    whole.steps += steps;
    whole.failures.push(...failures);
    addSometimes(whole.sometimes, sometimes);
    for (const [what, count] of Object.entries(covered))
      whole.covered[what] = (whole.covered[what] ?? 0) + count;
  }
  return whole;
}

/** Vacuous: long enough to have met everything that can be met, and it has not. */
export function verdictOf({ failures, sometimes, schedules }: Tally, areSeeds: boolean): Verdict {
  if (failures.length > 0) return 'violated';
  return areSeeds && neverMet(sometimes, schedules).length > 0 ? 'vacuous' : 'held';
}

export type Verdict = 'held' | 'violated' | 'vacuous';

/** Writes `report.json`: verdict, counts, what has been seen how often, and what was violated. */
export function writeSimulationReport(
  folder: string,
  seeds: [number, number] | null,
  tally: Tally,
  seconds: number,
): void {
  const { schedules, steps, failures } = tally;
  const report = {
    verdict: verdictOf(tally, seeds !== null),
    seed: seeds,
    commit: commitOf(checkoutRoot()),
    counts: {
      schedules,
      steps,
      seconds: Number(seconds.toFixed(1)),
      schedules_a_minute: Math.round((schedules / seconds) * 60),
    },
    sometimes: Object.fromEntries(
      Object.entries(tally.sometimes).map(([name, count]) => [name, count ?? 'not yet']),
    ),
    covered: Object.fromEntries(
      Object.entries(tally.covered).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ),
    violations: failures.flatMap(({ seed, file, violations }) =>
      violations.map(({ invariant, says, rows }) => ({ invariant, says, seed, list: file, rows })),
    ),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
}
