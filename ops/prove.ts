import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError, type OptionValues, outFolder, refuseWords, runCommand } from './command.js';
import { describeVerdict, judgeFolder } from './checker/judge.js';
import { progress } from './figures/progress.js';
import { recordRun } from './prove/record-run.js';
import { FAULTS } from './prove/nemesis.js';
import { SCALES, type Scale } from './prove/phase.js';
import { PHASES } from './prove/phases.js';
import { verdictText, writeReport } from './prove/report.js';
import { sit } from './prove/sitting.js';
import { stopAtSignals } from './stop-signals.js';

const HELP = `npm run prove -- [--ci] [--minutes N] [--seed N] [--only NAMES] [--out FOLDER] [--record]
npm run prove -- --check FOLDER

Starts a PostgreSQL, several replicas of API and worker and the mock processor, lets clients pay, capture, cancel and
refund as real ones do, and meanwhile kills, stops and cuts what there is to kill, stop and cut. Then it heals
everything, waits for quiet, and compares three books that know nothing of each other: what each client sent and
saw, the database, and the processor's own. Prints a verdict, and on stderr what it is doing.

  --ci           every phase but actions, as the gate has them: made for eight minutes on two cores
  --minutes N    how long the random faults go on (4, with --ci half a minute)
  --times N      how often it goes through its kills, crashes and cuts (1; a full run has two rounds of kills)
  --seed N       what is drawn by chance (1); each seed has a mix of faults of its own. The machine still decides
                 what happens first: two runs of a seed are alike, and not the same
  --only NAMES   phases (${PHASES.map(({ name }) => name).join(', ')}),
                 or kinds of fault for the swarm (failpoints, ${FAULTS.map(({ name }) => name).join(', ')})
  --taste        a little of each phase but actions: shows that it works
  --out FOLDER   gets report.json, diagram.svg and the books (./proof)
  --record       adds what was reached to docs/proof-runs.jsonl
  --check FOLDER judges the books in a folder once more, by the terms that stand beside them, and runs nothing
  --help         prints this
Exits 0 when everything held, 1 when something was violated or a full run met less than it must, 2 when it could not run,
or was stopped.
`;

const OPTIONS = {
  ci: { type: 'boolean' },
  taste: { type: 'boolean' },
  minutes: { type: 'string' },
  times: { type: 'string' },
  seed: { type: 'string' },
  only: { type: 'string' },
  out: { type: 'string' },
  record: { type: 'boolean' },
  check: { type: 'string' },
} as const;

/** `npm run prove`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: OPTIONS }, async (values, words) => {
    refuseWords(words);
    if (values['check'] !== undefined) return checkAgain(String(values['check']));
    return prove(values, args);
  });
}

async function prove(values: OptionValues, args: string[]): Promise<number> {
  const seed = wholeNumber(values, 'seed', 1, 4_000_000_000);
  const only = namesOf(values['only']);
  const isShort = values['ci'] === true || values['taste'] === true;
  const phases = phasesNamed(only, isShort);
  const scale = scaleOf(values);
  const folder = outFolder(values['out'] ?? './proof');
  const stopping = stopAtSignals(() =>
    progress('stopping: everything that was started is ended first'),
  );
  const isFull = only.length === 0 && !isShort;
  const sat = await sit({
    seed,
    say: progress,
    only,
    seconds: scale.swarmSeconds,
    stopping,
    scale,
    phases,
    folder,
    isFull,
  }).catch((error: unknown) => {
    if (!stopping.aborted) throw error; // Ctrl-C in a terminal ends what makes the database as well
    return null;
  });
  if (sat === null || stopping.aborted) {
    process.stdout.write('STOPPED: the books were not compared, so nothing is shown.\n');
    return 2;
  }
  const { outcome, lines, zeros } = sat;
  writeReport(folder, outcome);
  const command = `npm run prove -- ${args.join(' ')}${values['seed'] ? '' : ` --seed ${seed}`}`;
  process.stdout.write(verdictText(outcome, { folder, lines, zeros, command }));
  if (values['record'] && outcome.verdict !== 'violated')
    recordRun(commandOf(args, values['out']), outcome.counts);
  return outcome.verdict === 'held' ? 0 : 1;
}

/** As it was given, but for the folder, which is of one machine. */
function commandOf(args: readonly string[], out: OptionValues[string]): string {
  const kept = args.filter((arg) => arg !== '--out' && arg !== out && arg !== `--out=${out}`);
  return ['prove', ...kept].join(' ');
}

const BOOKS = ['d.jsonl', 'h.jsonl', 'p.jsonl'];

async function checkAgain(folder: string): Promise<number> {
  const missing = BOOKS.find((name) => !existsSync(join(folder, name)));
  if (missing !== undefined)
    throw new UsageError(`${resolve(folder)} has no books to judge: ${missing} is not there.`);
  const verdict = await judgeFolder(resolve(folder));
  process.stdout.write(describeVerdict(verdict));
  return verdict.violations.length === 0 ? 0 : 1;
}

function scaleOf(values: OptionValues): Scale {
  if (values['taste']) return SCALES.taste;
  const scale = values['ci'] ? SCALES.ci : SCALES.full;
  const times = wholeNumber(values, 'times', 1, 1_000);
  return {
    ...scale,
    killRounds: scale.killRounds * times,
    restarts: scale.restarts * times,
    cuts: scale.cuts * times,
    ...(values['minutes'] !== undefined && {
      swarmSeconds: wholeNumber(values, 'minutes', 4, 24 * 60) * 60,
    }),
  };
}

function namesOf(only: OptionValues[string]): string[] {
  const names = typeof only === 'string' ? only.split(',').map((name) => name.trim()) : [];
  const known = [...PHASES, ...FAULTS].map(({ name }) => name).concat('failpoints');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--only: ${unknown} is none of ${known.join(', ')}.`);
  return names;
}

/** A kind of fault means the swarm. */
function phasesNamed(only: readonly string[], isShort: boolean) {
  const named = PHASES.filter(({ name }) => only.includes(name));
  const hasFaults = only.some((name) => !PHASES.some((phase) => phase.name === name));
  if (only.length === 0) return PHASES.filter(({ isLong }) => !(isLong && isShort));
  return PHASES.filter((phase) => named.includes(phase) || (hasFaults && phase.name === 'swarm'));
}

function wholeNumber(values: OptionValues, name: string, byDefault: number, max: number): number {
  const text = values[name];
  if (text === undefined) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new UsageError(`--${name} ${String(text)} is not a whole number from 1 to ${max}.`);
  return value;
}
