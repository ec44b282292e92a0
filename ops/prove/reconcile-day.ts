import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { checkoutRoot } from '#embedded/home.js';
import type { Finding, Terms } from './phase.js';
import type { Planted } from './processor.js';
import { mainOf } from './service.js';
import type { World } from './world.js';

type Break = { kind: string; reference: string; closed_at: string | null };
type Run = { code: number | null; signal: NodeJS.Signals | null; breaks: Break[]; said: string };

/** Far more than the run of a worker takes, on a machine that is busy with other things, too. */
const OTHERS_WITHIN_MS = 300_000;

/** The days that the processor has moved anything on. */
export async function daysOf(world: World): Promise<string[]> {
  const book = await world.processor.book();
  return [...new Set(book.map(({ at }) => new Date(at).toISOString().slice(0, 10)))].sort();
}

/** A worker may be at it by itself, once a day: then it is waited for. */
export async function reconcile(
  { stopping }: Pick<Terms, 'stopping'>,
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
export function differences(
  day: string,
  planted: Planted[],
  { code, breaks, said }: Run,
): Finding[] {
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
