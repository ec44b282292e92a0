import { INVARIANTS } from '../checker/invariants.js';
import { table } from './faults-page.js';

type Goal = { what: string; count: string; ci: number; goal: number; note?: string };

/** What the proof is to reach, in one run of CI and by long runs that add up. */
export const GOALS: readonly Goal[] = [
  { what: 'simulated schedules, none violated', count: 'schedules', ci: 1_000, goal: 200_000 },
  { what: 'real SIGKILLs, none violated', count: 'kills', ci: 48, goal: 2_000 },
  {
    what: 'PostgreSQL crash-restarts under load, nothing lost or doubled',
    count: 'restarts',
    ci: 3,
    goal: 100,
  },
  { what: 'COMMITs cut, half before and half after', count: 'cuts', ci: 100, goal: 10_000 },
  {
    what: 'mutants killed by the check that is named for them',
    count: 'mutants',
    ci: 30,
    goal: 40,
  },
  { what: 'bad inputs, no 5xx and no leak', count: 'inputs', ci: 20_000, goal: 1_000_000 },
  { what: 'races 50 wide, exactly one effect', count: 'bursts', ci: 100, goal: 10_000 },
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
