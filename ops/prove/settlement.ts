import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { checkoutRoot } from '#embedded/home.js';
import { whileTimeFlies } from './load.js';
import { Merchant } from './merchant.js';
import type { Finding, PhaseResult, Terms } from './phase.js';
import type { Planted } from './processor.js';
import { heal, untilQuiet } from './quiet.js';
import { mainOf } from './service.js';
import { REPORT_BREAKS } from './sometimes.js';
import type { World } from './world.js';

type Break = { kind: string; reference: string; closed_at: string | null };
type Run = { code: number | null; signal: NodeJS.Signals | null; breaks: Break[]; said: string };

const DAY_MS = 86_400_000;
const PAYMENTS = 6;
/** Far more than the run of a worker takes, on a machine that is busy with other things, too. */
const OTHERS_WITHIN_MS = 300_000;
/** Where a run that is killed has done much and decided nothing. */
const DIES_AT = 's3:1:kill';

/**
 * Holds every day so far against the processor's report. Whatever befell processes and network, what is quiet has no
 * difference (I19); what a report is then made to say wrongly is found, each once and nothing else, also by a run that
 * comes after one that was killed; and it is gone when the report is right again.
 */
export async function settlement(terms: Terms): Promise<PhaseResult> {
  const world = await terms.world();
  await whileTimeFlies(world, async () => {
    await takePayments(world, `settlement-${terms.seed}`);
    await heal(world);
  });
  await untilQuiet(world);
  const days = await daysOf(world);
  await world.advance(DAY_MS); // all of them are over
  const findings: Finding[] = [];
  const compare = async (day: string, planted: Planted[] = []) => {
    const run = await reconcile(terms, world, day);
    // What was broken off by a Ctrl-C has found nothing, and missed nothing.
    if (!terms.stopping.aborted) findings.push(...differences(day, planted, run));
  };
  for (const day of days) await compare(day);
  const day = days.at(-1) ?? '';
  const planted = await plant(world, day);
  await dieHalfway(terms, world, day);
  await compare(day, planted);
  await world.processor.uproot(day);
  await compare(day);
  const held = `${days.length === 1 ? 'a day' : `${days.length} days`} held against the processor’s report`;
  return { line: `${held}, ${planted.length} planted differences found`, findings };
}

async function dieHalfway(terms: Terms, world: World, day: string): Promise<void> {
  const { signal, said } = await reconcile(terms, world, day, DIES_AT);
  if (terms.stopping.aborted) return;
  if (signal !== 'SIGKILL') throw new Error(`Was not killed at s3:\n${said}`);
  world.journal.count('SIGKILLs');
}

/** Something that a report can be wrong about, on the day that it is now. */
async function takePayments(world: World, name: string): Promise<void> {
  for (let n = 1; n <= PAYMENTS; n += 1) {
    const merchant = new Merchant(world, `${name}-${n}`);
    const { id } = await merchant.pay('pm_card_visa');
    if (n === 1) await merchant.refund(id);
  }
}

async function daysOf(world: World): Promise<string[]> {
  const book = await world.processor.book();
  return [...new Set(book.map(({ at }) => new Date(at).toISOString().slice(0, 10)))].sort();
}

async function plant(world: World, date: string): Promise<Planted[]> {
  const planted = [];
  for (const kind of REPORT_BREAKS) {
    const one = await world.processor.plant({ date, kind });
    if (one) planted.push(one);
  }
  return planted;
}

/** A worker may be at it by itself, once a day: then it is waited for. */
async function reconcile(
  { stopping }: Terms,
  world: World,
  date: string,
  failpoints = '',
): Promise<Run> {
  const deadlineMs = performance.now() + OTHERS_WITHIN_MS;
  for (;;) {
    const run = await runOnce(world, date, { failpoints, stopping });
    if (stopping.aborted || !run.said.includes('Another reconciliation')) return run;
    if (performance.now() > deadlineMs) throw new Error(`Others never came to an end: ${run.said}`);
    await pause(200);
  }
}

function runOnce(
  world: World,
  date: string,
  { failpoints, stopping }: { failpoints: string; stopping: AbortSignal },
): Promise<Run> {
  const args = ['--processor', 'mock', '--date', date, '--json'];
  const child = spawn(process.execPath, [mainOf('reconciliation'), ...args], {
    cwd: checkoutRoot(),
    env: {
      PATH: process.env['PATH'],
      ...world.jobEnvironment(),
      LOG_LEVEL: 'warning',
      ...(failpoints && { FAILPOINTS: failpoints }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
  child.stdout.on('data', (text: string) => (printed += text));
  child.stderr.on('data', (text: string) => (said += text));
  const stop = () => child.kill('SIGTERM');
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      stopping.removeEventListener('abort', stop);
      const { breaks } = hasRun(code)
        ? (JSON.parse(printed) as { breaks: Break[] })
        : { breaks: [] };
      resolve({ code, signal, breaks, said });
    });
  });
}

/** With differences or without: it got to its end. */
function hasRun(code: number | null): boolean {
  return code === 0 || code === 1;
}

/** What a run found beside what it should have found, and what it did not find of that. */
function differences(day: string, planted: Planted[], { code, breaks, said }: Run): Finding[] {
  const finding = (says: string, rows: object[]) => ({ invariant: 'I19', says, rows });
  if (!hasRun(code)) return [finding(`${day} could not be reconciled: ${said}`, [])];
  const open = breaks.filter(({ closed_at }) => closed_at === null);
  const isSame = (one: Planted, other: Planted) =>
    one.kind === other.kind && one.reference === other.reference;
  return [
    ...open
      .filter((one) => !planted.some((other) => isSame(one, other)))
      .map((one) => finding(`${day}: ${one.kind} of ${one.reference}, where all agree`, [one])),
    ...planted
      .filter((one) => !open.some((other) => isSame(one, other)))
      .map((one) => finding(`${day}: ${one.kind} of ${one.reference} was not found`, [one])),
  ];
}
