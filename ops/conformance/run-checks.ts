import { randomBytes } from 'node:crypto';
import { ask, Bench, type Exchange, type Shared, type Target } from './bench.js';
import { NotApplicable, Red, type Check, type Phase, type Source } from './check.js';
import { taken } from './judge.js';
import { PHASES } from './phases.js';

export type Outcome = 'pass' | 'fail' | 'documented' | 'not_applicable';
export type Result = {
  id: string;
  phase: string;
  title: string;
  source: Source;
  outcome: Outcome;
  /** What was seen, or why the check does not apply; empty for a pass. */
  says: string;
  difference: { reason: string; link: string } | null;
  /** What shows it: of a check that passed, nothing. */
  exchanges: Exchange[];
};
export type Run = { service: string; version: string | null; url: string; results: Result[] };

/** The service cannot be reached, or the adapter does not fit it: nothing was judged. */
export class CouldNotRun extends Error {}

/** Runs every check, one after the other, and tells each phase as it starts. */
export async function runChecks(target: Target, tell: (line: string) => void): Promise<Run> {
  const id = `conformance-${randomBytes(5).toString('hex')}`;
  const shared: Shared = { id, next: 0, owed: [], crowd: null };
  try {
    await prove(new Bench(target, shared, 'preflight'));
    const results: Result[] = [];
    for (const phase of PHASES) {
      tell(phase.name);
      results.push(...(await judgedPhase(phase, target, shared)));
    }
    const { url, adapter } = target;
    return { service: adapter.name, version: await versionOf(target), url, results };
  } finally {
    shared.crowd?.close();
  }
}

async function judgedPhase(
  { name, checks, together }: Phase,
  target: Target,
  shared: Shared,
): Promise<Result[]> {
  const judge = async (check: Check) => ({
    phase: name,
    ...(await judged(check, new Bench(target, shared, check.id))),
  });
  if (together === true) return Promise.all(checks.map(judge));
  const results: Result[] = [];
  for (const check of checks) results.push(await judge(check));
  return results;
}

/** One honest request first: without it every later red would be a riddle. */
async function prove(bench: Bench): Promise<void> {
  try {
    const { marker, key } = bench.intent();
    const call = bench.adapter.create(marker);
    await bench.send(call, key); // a service that is not there is not waited for
    taken(await bench.retried(call, key));
    await bench.holds(marker, 1);
  } catch (error) {
    const seen = bench.exchanges.at(-1)?.answer;
    const answer = seen ? `\n${seen.status} ${seen.bytes.toString('utf8').slice(0, 500)}` : '';
    throw new CouldNotRun(
      `A plain request with a key does not work, so nothing else was tried: ${messageOf(error)}${answer}`,
    );
  }
}

async function judged(check: Check, bench: Bench): Promise<Omit<Result, 'phase'>> {
  const { id, title, source } = check;
  const { differences = {}, notApplicable = {} } = bench.adapter;
  const plain = { id, title, source, says: '', difference: null, exchanges: [] };
  const excuse = notApplicable[id];
  if (excuse !== undefined) return { ...plain, outcome: 'not_applicable', says: excuse };
  try {
    await check.run(bench);
    const says = id in differences ? 'declared as a difference, but it holds' : '';
    return { ...plain, outcome: 'pass', says };
  } catch (error) {
    if (error instanceof NotApplicable)
      return { ...plain, outcome: 'not_applicable', says: error.message };
    if (!(error instanceof Red)) throw error;
    const difference = differences[id] ?? null;
    const { exchanges } = bench;
    const outcome = difference ? 'documented' : 'fail';
    return { ...plain, outcome, says: error.message, difference, exchanges };
  }
}

async function versionOf(target: Target): Promise<string | null> {
  const { version } = target.adapter;
  return version ? await version((path) => ask(target, 'KEY', path)) : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
