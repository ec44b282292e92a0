import { INVARIANTS } from '../checker/invariants.js';
import { MUTANTS } from '../mutants/list.js';
import { killsInARound } from '../prove/kills.js';
import { SCALES } from '../prove/phase.js';
import { table } from './faults-page.js';
import { isNotYet } from './milestones.js';
import { NOT_INJECTED } from './not-injected.js';

type Goal = { what: string; count: string; ci: number; goal: number };

/** Those that have something to break by now. */
const BREAKABLE = MUTANTS.filter(({ since }) => !isNotYet(since));
const CI = SCALES.ci;

/** What the proof is to reach, in one run of the gate and by long runs that add up. */
export const GOALS: readonly Goal[] = [
  {
    what: 'simulated schedules, none violated',
    count: 'schedules',
    ci: CI.simulations,
    goal: 200_000,
  },
  {
    what: 'real SIGKILLs, none violated',
    count: 'kills',
    ci: CI.killRounds * killsInARound(),
    goal: 2_000,
  },
  {
    what: 'PostgreSQL crash-restarts under load, nothing lost or doubled',
    count: 'restarts',
    ci: CI.restarts,
    goal: 100,
  },
  { what: 'COMMITs cut, half before and half after', count: 'cuts', ci: CI.cuts, goal: 10_000 },
  {
    what: 'mutants killed by the check that is named for them',
    count: 'mutants',
    ci: BREAKABLE.filter(({ fast }) => fast).length,
    goal: BREAKABLE.length,
  },
  { what: 'bad inputs, no 5xx and no leak', count: 'inputs', ci: CI.badInputs, goal: 1_000_000 },
  { what: 'races 50 wide, exactly one effect', count: 'bursts', ci: CI.bursts, goal: 10_000 },
];

type Counts = Readonly<Record<string, number>>;

/** The table of `docs/proof.md`: what is owed, what recorded runs of today's sources have reached, and all runs. */
export function figuresOf(counts: Counts, inAll: Counts): string {
  const number = (value: number) => value.toLocaleString('en-US');
  return table(
    [
      '',
      '`prove -- --ci`',
      'goal of long runs',
      'reached since libs and migrations last changed',
      'in all, with those before',
    ],
    GOALS.map(({ what, count, ci, goal }) => [
      what,
      number(ci),
      number(goal),
      number(counts[count] ?? 0),
      number(inAll[count] ?? 0),
    ]),
  );
}

/** What the checker holds the three books to. */
export function invariantsOf(): string {
  return table(['invariant', 'what it says'], Object.entries(INVARIANTS));
}

/** What nothing is shown of. */
export function notInjected(): string {
  return NOT_INJECTED.map((what) => `- ${what}`).join('\n');
}
