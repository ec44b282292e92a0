import { checkoutRoot } from '#embedded/home.js';
import { type OptionValues, UsageError, outFolder, refuseWords, runCommand } from './command.js';
import { appendRun, commitOf } from './proof/runs.js';
import { MUTANTS, readMutants } from './mutants/list.js';
import type { Mutant } from './mutants/mutant.js';
import { staleness } from './mutants/patch.js';
import { countsOf, table, writeMutantsReport } from './mutants/report.js';
import { type Judged, judge, lineOf, redWithoutMutants } from './mutants/run.js';
import { Scratch } from './mutants/scratch.js';
import { stopAtSignals } from './stop-signals.js';
import { SpecRunner } from './mutants/spec-runner.js';

const HELP = `npm run mutants

Breaks a copy of the sources in one small way after the other, and runs the check that is named for it: a test, which
must fail by an assertion, or the search of the model, which must find an error of the design. A mutant that its named
check does not find has survived, whatever else falls over. Before that every named test must be green without any mutant.

  --only m1,m10a  these alone; m10 stands for m10a, m10b, …
  --fast          those whose first check takes a second or two, by that check
  --jobs N        copies that are worked on side by side (1)
  --list FILE     other mutants, as JSON; their check may be a simulation too
  --record        notes the run in docs/proof-runs.jsonl, if nothing survived
  --out FOLDER    where report.json goes (./proof)
  --help          prints this
Exits 0 when every mutant was killed, 1 when one survived, 2 when it could not run: a patch that fits no more, or a
check that is red by itself; also when it was stopped.
`;

const OPTIONS = {
  only: { type: 'string' },
  fast: { type: 'boolean', default: false },
  jobs: { type: 'string', default: '1' },
  list: { type: 'string' },
  record: { type: 'boolean', default: false },
  out: { type: 'string', default: './proof' },
} as const;

/** `npm run mutants`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: OPTIONS }, async (values, words) => {
    refuseWords(words);
    const root = checkoutRoot();
    const { list, only, fast, record } = values;
    const all = list === undefined ? MUTANTS : readMutants(String(list));
    const mutants = chosen(all, only, fast === true);
    const stale = mutants.flatMap((mutant) => staleness(root, mutant) ?? []);
    if (stale.length > 0) throw new UsageError(stale.join('\n'));
    if (mutants.length === 0) throw new UsageError('There is no mutant to be found.');
    const out = outFolder(values['out']);
    const judged = await onCopies(root, mutants, jobsOf(values['jobs']), fast === true);
    process.stdout.write(`\n${table(judged)}\n\n${closing(judged)}\n`);
    await writeMutantsReport(out, judged, commitOf(root));
    const isHeld = judged.every(({ verdict }) => verdict === 'killed' || verdict === 'not yet');
    if (isHeld && record === true && only === undefined) note(root, args, judged);
    if (judged.some(({ verdict }) => verdict === 'survived')) return 1;
    return isHeld ? 0 : 2;
  });
}

function chosen(all: readonly Mutant[], only: OptionValues[string], fast: boolean): Mutant[] {
  if (only === undefined) return all.filter((mutant) => !fast || mutant.fast === true);
  const mutants = String(only)
    .split(',')
    .flatMap((name) => {
      const named = all.filter(({ id }) => id === name || new RegExp(`^${name}[a-z]$`).test(id));
      if (named.length === 0) throw new UsageError(`--only ${name}: there is no such mutant`);
      return named;
    });
  return [...new Set(mutants)];
}

function jobsOf(value: unknown): number {
  const jobs = Number(value);
  if (Number.isInteger(jobs) && jobs >= 1 && jobs <= 8) return jobs;
  throw new UsageError('--jobs must be a number from 1 to 8');
}

/** Each copy takes the next mutant as soon as it is free; results stand in the order of the list. */
async function onCopies(
  root: string,
  mutants: readonly Mutant[],
  jobs: number,
  firstOnly: boolean,
): Promise<Judged[]> {
  const judged = new Map<Mutant, Judged>();
  const waiting = [...mutants];
  const checks = mutants.flatMap((each) => (firstOnly ? each.checks.slice(0, 1) : each.checks));
  await withBenches(root, Math.min(jobs, mutants.length), async (benches) => {
    const [first] = benches;
    if (!first) return;
    const red = await redWithoutMutants(first, checks, tell);
    const work = async (bench: Bench): Promise<void> => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const result = await judge(bench, mutant, { firstOnly, red });
        judged.set(mutant, result);
        tell(lineOf(result));
      }
    };
    await Promise.all(benches.map(work));
  });
  return mutants.flatMap((mutant) => judged.get(mutant) ?? []);
}

type Bench = { scratch: Scratch; specs: SpecRunner };

/** The copies are gone with the run, however it ends. */
async function withBenches(
  root: string,
  count: number,
  work: (benches: readonly Bench[]) => Promise<void>,
): Promise<void> {
  // Before there is a copy that could be left behind.
  const stopping = stopAtSignals(() =>
    tell('stopping: everything that was started is ended first'),
  );
  tell('Copying the sources, then asking each named test without a mutant');
  const benches = Array.from({ length: count }, () => {
    const scratch = Scratch.make(root);
    return { scratch, specs: new SpecRunner(scratch.root) };
  });
  const end = async (): Promise<void> => {
    await Promise.all(benches.map(({ specs }) => specs.end()));
    for (const { scratch } of benches) scratch.remove();
  };
  const stop = () => process.stdout.write('STOPPED: nothing is shown.\n', () => process.exit(2));
  stopping.addEventListener('abort', () => void end().finally(stop));
  try {
    await work(benches);
  } finally {
    await end();
  }
}

function note(root: string, args: readonly string[], judged: readonly Judged[]): void {
  const { killed } = countsOf(judged);
  const command = ['npm run mutants', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  appendRun(root, { command, counts: { mutants: killed } });
}

function closing(judged: readonly Judged[]): string {
  const { killed, survived, not_yet: notYet, not_judged, mean_schedules: mean } = countsOf(judged);
  const unjudged =
    not_judged === 0 ? '' : `, ${not_judged} not judged (their checks are red by themselves)`;
  const schedules = mean === null ? '' : `; ${mean} schedules on average to find one`;
  return `${killed} killed, ${survived} survived, ${notYet} not yet${unjudged}${schedules}`;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
