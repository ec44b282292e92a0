import { checkoutRoot } from '#embedded/home.js';
import { UsageError, outFolder, refuseWords, runCommand } from './command.js';
import { progress } from './figures/progress.js';
import { appendRun } from './proof/runs.js';
import { type Share, type Tally, runSeed, runShare } from './simulate/job.js';
import { forkShare } from './simulate/jobs.js';
import { readList } from './simulate/list.js';
import { Listed } from './simulate/policy.js';
import { summed, verdictOf, writeSimulationReport } from './simulate/report.js';
import { type Result, runSchedule } from './simulate/run.js';
import { neverMet } from './simulate/sometimes.js';
import { Stage, withServer } from './simulate/stage.js';
import { stopAtSignals } from './stop-signals.js';

const HELP = `npm run simulate -- [--seeds FROM..TO] [--minutes N] [--jobs N] [--out FOLDER]
npm run simulate -- --replay FILE | --show SEED

Runs the service's own code against a real PostgreSQL, with all clients, API replicas and workers and the card
processor in one process, one step at a time: each statement, each commit, each call and each sleep is a step, and a
seed decides who is next and what becomes of it. Time is virtual. Processes crash between any two steps, commits are
lost before and after they took place, the processor loses, doubles and lies. Then everything heals, and what
clients saw, the database and the processor's book are compared. The same seed is the same run, to the last row.

  --seeds FROM..TO  which seeds (1..200)
  --systematic      instead of seeds: every single thing that can go otherwise in one payment's calm run
  --pairs N         and after them so many pairs of such things, drawn (500)
  --minutes N       stop after so many minutes, whatever has been reached
  --jobs N          processes side by side, at most 8 (2)
  --replay FILE     one saved list of choices instead of seeds; prints what happens
  --show SEED       one seed, and prints what happens
  --first           ends with the first seed that shows something, and keeps its list as it is
  --record          adds the seeds that held to docs/proof-runs.jsonl
  --server URL      a PostgreSQL to use (its owner's address) instead of one of its own
  --out FOLDER      where report.json and failing schedules go, each as a list and as a picture (./proof)
  --help            prints this
Exits 0 when everything held, 1 when an invariant was violated (the shortest list of choices is kept), 2 when it could
not run, or was stopped.
`;

const OPTIONS = {
  seeds: { type: 'string', default: '1..200' },
  minutes: { type: 'string' },
  jobs: { type: 'string', default: '2' },
  replay: { type: 'string' },
  show: { type: 'string' },
  systematic: { type: 'boolean' },
  pairs: { type: 'string', default: '500' },
  first: { type: 'boolean' },
  record: { type: 'boolean' },
  server: { type: 'string' },
  out: { type: 'string', default: './proof' },
} as const;

type Asked = {
  seeds: [number, number];
  minutes: number | null;
  jobs: number;
  out: string;
  endsAtFirst: boolean;
  record: boolean;
  pairs: number | null;
};

/** `npm run simulate`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: OPTIONS }, async (values, words) => {
    refuseWords(words);
    const { replay, show, server } = values;
    const asked: Asked = {
      seeds: seedsOf(String(values['seeds'])),
      minutes: values['minutes'] === undefined ? null : numberOf(values['minutes'], 'minutes'),
      jobs: Math.min(8, numberOf(values['jobs'], 'jobs')),
      out: outFolder(values['out']),
      endsAtFirst: values['first'] === true,
      record: values['record'] === true,
      pairs: values['systematic'] ? numberOf(values['pairs'], 'pairs') : null,
    };
    const list = replay === undefined ? null : readList(String(replay));
    const stopping = stopAtSignals();
    const work = async (serverUrl: string) => {
      stopping.throwIfAborted(); // while the database was made there was nobody to hear it
      if (show !== undefined) return showOne(serverUrl, (stage) => runSeed(stage, String(show)));
      if (list === null) return simulate(serverUrl, asked, stopping);
      const { plan, choices } = list;
      return showOne(serverUrl, (stage) => runSchedule(stage, plan, new Listed(choices)));
    };
    const run = server === undefined ? withServer(work, progress) : work(String(server));
    return run.catch((error: unknown) => {
      if (!stopping.aborted) throw error; // Ctrl-C in a terminal ends what makes the database as well
      process.stdout.write('STOPPED: nothing is shown.\n');
      return 2;
    });
  });
}

async function simulate(serverUrl: string, asked: Asked, stopping: AbortSignal): Promise<number> {
  const begun = performance.now();
  const shares = sharesOf(serverUrl, asked);
  const tallies = new Map<Share, Tally>();
  const seconds = () => (performance.now() - begun) / 1_000;
  const line = () => progressLine(summed([...tallies.values()]), seconds());
  const timer = setInterval(() => process.stderr.write(`${line()}\n`), PROGRESS_MS);
  const run = shares.length === 1 ? runShare : forkShare;
  try {
    const tell = (share: Share) => (tally: Tally) => void tallies.set(share, tally);
    await Promise.all(shares.map((share) => run(share, tell(share), stopping)));
  } finally {
    clearInterval(timer);
  }
  const whole = summed([...tallies.values()]);
  writeSimulationReport(asked.out, asked.pairs === null ? asked.seeds : null, whole, seconds());
  for (const { seed, file, choices, violations } of whole.failures) {
    const [first] = violations;
    process.stdout.write(
      `seed=${seed} violates ${first?.invariant}: ${first?.says} (${choices} choices in ${file})\n`,
    );
  }
  process.stdout.write(`${line()}\n`);
  const verdict = verdictOf(whole, asked.pairs === null);
  if (verdict === 'vacuous')
    process.stdout.write(`never met: ${neverMet(whole.sometimes, whole.schedules).join('; ')}\n`);
  if (asked.record && asked.pairs === null && verdict !== 'violated') record(asked, whole);
  if (verdict !== 'violated' && (stopping.aborted || whole.schedules === 0)) {
    process.stdout.write('STOPPED: nothing is shown beyond these schedules.\n');
    return 2;
  }
  return verdict === 'held' ? 0 : 1;
}

const PROGRESS_MS = 5_000;

function progressLine({ schedules, steps, failures }: Tally, seconds: number): string {
  const rate = Math.round((schedules / seconds) * 60);
  return `${schedules} schedules, ${steps} steps, ${failures.length} violated; ${rate} schedules a minute`;
}

/** Seeds are dealt out in turn, so that the shares end together. */
function sharesOf(
  serverUrl: string,
  { seeds, minutes, jobs, out, endsAtFirst, pairs }: Asked,
): Share[] {
  const [from, last] = seeds;
  const untilMs = minutes === null ? null : Date.now() + minutes * 60_000; // tidy-allow: how long to go on
  return Array.from({ length: Math.min(jobs, last - from + 1) }, (_, job) => ({
    serverUrl,
    database: `simulate_${process.pid}_${job + 1}`,
    first: from + job,
    last,
    step: jobs,
    untilMs,
    out,
    endsAtFirst,
    pairs,
  }));
}

/** Only seeds without a gap: of a run that was stopped, those below the first that no share had come to. */
function record({ seeds: [from, last] }: Asked, { next }: Tally): void {
  const to = Math.min(last, next - 1);
  if (to < from) return;
  const command = `simulate --seeds ${from}..${last}`;
  appendRun(checkoutRoot(), { command, seeds: [from, to], counts: { schedules: to - from + 1 } });
}

/** What happened, line by line, and what is wrong with it. */
async function showOne(serverUrl: string, run: (stage: Stage) => Promise<Result>): Promise<number> {
  const stage = await Stage.open(serverUrl, `simulate_${process.pid}_1`);
  try {
    const result = await run(stage);
    print(result);
    return result.violations.length === 0 ? 0 : 1;
  } finally {
    await stage.close();
  }
}

function print({ trace, violations, hash }: Result): void {
  for (const { atMs, task, what, end } of trace.lines) {
    const at = new Date(atMs).toISOString().slice(5, 23); // tidy-allow: the virtual instant
    process.stdout.write(`${at}  ${task.padEnd(16)}  ${what}${end === 'ok' ? '' : `: ${end}`}\n`);
  }
  for (const { invariant, says, rows } of violations)
    process.stdout.write(`${invariant}: ${says}\n${JSON.stringify(rows, null, 2)}\n`);
  process.stdout.write(`trace ${hash}\n`);
}

function seedsOf(text: string): [number, number] {
  const match = /^(\d{1,9})\.\.(\d{1,9})$/.exec(text);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || from > to) throw new UsageError(`--seeds ${text}: it must be FROM..TO.`);
  return [from, to];
}

function numberOf(text: string | boolean | undefined, name: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 10_000)
    throw new UsageError(`--${name} must be a whole number from 1 to 10000.`);
  return value;
}
