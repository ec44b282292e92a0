import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '#embedded/home.js';
import type { Tally } from './job.js';

/** Several shares as one. */
export function summed(tallies: readonly Tally[]): Tally {
  const whole: Tally = { schedules: 0, steps: 0, sometimes: {}, failures: [] };
  for (const { schedules, steps, sometimes, failures } of tallies) {
    whole.schedules += schedules;
    whole.steps += steps;
    whole.failures.push(...failures);
    for (const [what, count] of Object.entries(sometimes))
      whole.sometimes[what] = (whole.sometimes[what] ?? 0) + count;
  }
  return whole;
}

/** Writes `report.json`: verdict, counts, what has been seen how often, and what was violated. */
export function writeSimulationReport(
  folder: string,
  asked: { seeds: [number, number] | null },
  tally: Tally,
  seconds: number,
): void {
  const { schedules, steps, failures } = tally;
  const report = {
    verdict: failures.length === 0 ? 'held' : 'violated',
    seed: asked.seeds,
    commit: commitHere(),
    counts: {
      schedules,
      steps,
      seconds: Number(seconds.toFixed(1)),
      schedules_a_minute: Math.round((schedules / seconds) * 60),
    },
    sometimes: Object.fromEntries(
      Object.entries(tally.sometimes).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    violations: failures.flatMap(({ seed, file, violations }) =>
      violations.map(({ invariant, says, rows }) => ({ invariant, says, seed, list: file, rows })),
    ),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
}

/** The commit of this checkout; null where there is no repository. */
function commitHere(): string | null {
  const args = ['-C', checkoutRoot(), 'rev-parse', 'HEAD'];
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
