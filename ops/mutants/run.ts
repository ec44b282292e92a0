import { DESIGN_ERRORS, scopeOf } from '../model/designs.js';
import { search } from '../model/search.js';
import { isNotYet } from '../proof/milestones.js';
import { type Check, type Mutant, wordsOf } from './mutant.js';
import type { Scratch } from './scratch.js';
import { schedulesUntil } from './simulate-runner.js';
import { type SpecRunner, isRed } from './spec-runner.js';

export type Verdict = { killed: boolean; says: string; schedules?: number };
export type Judged = {
  mutant: Mutant;
  /** Not judged: a check that is red by itself can find nothing. */
  verdict: 'killed' | 'survived' | 'not yet' | 'not judged';
  seconds: number;
  checks: { check: Check; verdict: Verdict }[];
};

type Bench = { scratch: Scratch; specs: SpecRunner };
type SpecCheck = Extract<Check, { by: 'spec' }>;

const BASE_SEEDS = 20;

/** Every check that is named must be green as things stand. Returns those that are not, each with the reason. */
export async function redWithoutMutants(
  bench: Bench,
  checks: readonly Check[],
  tell: (line: string) => void,
): Promise<Map<string, string>> {
  const red = new Map<string, string>();
  const named = checks.filter(isSpec);
  for (const file of new Set(named.map((check) => check.file))) {
    const here = named.filter((check) => check.file === file);
    for (const [title, why] of await redTitles(bench.specs, file, here)) {
      red.set(wordsOf({ by: 'spec', file, title }), why);
      tell(`NOT GREEN without mutants: ${file} "${title}": ${why}`);
    }
    tell(`asked without mutants  ${file}`);
  }
  const simulated = checks.filter(({ by }) => by === 'simulate');
  if (simulated.length > 0) {
    const { seen } = await schedulesUntil(bench.scratch.root, BASE_SEEDS, 'any');
    const why = `it violates ${seen.join(', ')}`;
    if (seen.length > 0) for (const check of simulated) red.set(wordsOf(check), why);
  }
  return red;
}

async function redTitles(
  specs: SpecRunner,
  file: string,
  checks: readonly SpecCheck[],
): Promise<Map<string, string>> {
  const titles = [...new Set(checks.map(({ title }) => title))];
  const { results, broken } = await specs.run([file], titles);
  const red = new Map<string, string>();
  for (const title of titles) {
    const ours = results.filter((result) => result.title === title);
    const wrong = ours.find(({ state }) => state !== 'passed');
    if (ours.length === 0) red.set(title, `it is not there. ${broken.join(' ')}`);
    else if (wrong) red.set(title, `it ${wrong.state}: ${wrong.errors.join(' ')}`);
  }
  return red;
}

/** Breaks the copy, runs what must see it, and mends the copy. */
export async function judge(
  { scratch, specs }: Bench,
  mutant: Mutant,
  { firstOnly, red }: { firstOnly: boolean; red: ReadonlyMap<string, string> },
): Promise<Judged> {
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1000;
  if (isNotYet(mutant.since)) return { mutant, verdict: 'not yet', seconds: 0, checks: [] };
  const asked = firstOnly ? mutant.checks.slice(0, 1) : mutant.checks;
  if (asked.some((check) => red.has(wordsOf(check))))
    return { mutant, verdict: 'not judged', seconds: 0, checks: [] };
  const files = mutant.patches.map(({ file }) => file);
  const mend = await scratch.patch(mutant);
  await specs.touch(files);
  const checks: Judged['checks'] = [];
  try {
    for (const check of asked)
      checks.push({ check, verdict: await ask({ scratch, specs }, check) });
  } finally {
    await mend();
    await specs.touch(files);
  }
  const killed = checks.length > 0 && checks.every(({ verdict }) => verdict.killed);
  return { mutant, verdict: killed ? 'killed' : 'survived', seconds: seconds(), checks };
}

async function ask({ scratch, specs }: Bench, check: Check): Promise<Verdict> {
  if (check.by === 'spec') return askSpec(specs, check);
  if (check.by === 'model') return askModel(check);
  const { schedules, seen } = await schedulesUntil(scratch.root, check.seeds, check.invariant);
  if (schedules !== null) return { killed: true, says: `after ${schedules} schedules`, schedules };
  const instead = seen.length === 0 ? 'nothing' : seen.join(', ');
  return { killed: false, says: `${instead} in ${check.seeds} schedules` };
}

async function askSpec(specs: SpecRunner, { file, title }: SpecCheck): Promise<Verdict> {
  const { results, broken } = await specs.run([file], [title]);
  const ours = results.filter((each) => each.title === title);
  const red = ours.find(isRed);
  const told = red ?? ours.find(({ state }) => state !== 'passed') ?? ours[0];
  const error = (told?.errors[0] ?? broken[0] ?? '').split('\n')[0] ?? '';
  if (red) return { killed: true, says: error };
  return { killed: false, says: `${told?.state ?? 'did not run'}${error && `: ${error}`}` };
}

/** An error of design has no patch: the search itself is told to make it. */
function askModel({ option }: Extract<Check, { by: 'model' }>): Verdict {
  const { invariant } = DESIGN_ERRORS[option];
  const { violation, states } = search({ scope: scopeOf(option), errors: new Set([option]) });
  const says = violation ? `${violation.invariant} after ${states} states` : 'it held';
  return { killed: violation?.invariant === invariant, says };
}

function isSpec(check: Check): check is SpecCheck {
  return check.by === 'spec';
}

/** A line for people while it goes on. */
export function lineOf({ mutant, verdict, seconds, checks }: Judged): string {
  const why = checks
    .filter(({ verdict: { killed } }) => verdict === 'killed' || !killed)
    .map(({ check, verdict: { says } }) => `${wordsOf(check)}: ${says}`)
    .join('; ');
  const told = verdict === 'survived' ? 'SURVIVED' : verdict;
  const said = why.length > 180 ? `${why.slice(0, 180)}…` : why;
  return `${mutant.id.padEnd(5)} ${told.padEnd(8)} ${seconds.toFixed(0).padStart(4)} s  ${mutant.what}  (${said})`;
}
