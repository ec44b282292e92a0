import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '#embedded/home.js';
import { FIND_LIVE_OWNERS } from '#payments/orphans.sql.js';
import type { Db } from '#postgres/db.js';
import { type OptionValues, UsageError, runCommand } from './command.js';
import { measureBound } from './figures/bound.js';
import { measureCrashes } from './figures/crash.js';
import { measureDrain } from './figures/drain.js';
import { SERVER_VERSION } from './figures/figures.sql.js';
import { measureLedger } from './figures/ledger.js';
import { countCosts, measurePayments, readSizes } from './figures/payments.js';
import { progress } from './figures/progress.js';
import { setWebhooks, untilQuiet } from './figures/quiet.js';
import { onStage } from './figures/on-stage.js';
import { measureReconciliation, type ReconciliationFigures } from './figures/reconciliation.js';
import { isFastEnough, renderLedger } from './figures/render-ledger.js';
import { isPerfect, renderReconciliation } from './figures/render-reconciliation.js';
import { type Figures, render } from './figures/render.js';
import { FULL, QUICK, type Scale } from './figures/scale.js';
import type { Stage } from './figures/stage.js';
import { measureSweeps } from './figures/sweeps.js';
import { measureWebhooks } from './figures/webhooks.js';
import { stopAtSignals } from './stop-signals.js';
import { until } from './until.js';

const HELP = `npm run figures -- [--seconds N] [--connections N] [--quick] [--write]
npm run figures -- --reconciliation [--lines N[,N]] [--write]
npm run figures -- --ledger [--entries N] [--write]

Measures a system of its own, started for this and thrown away: payments and replays a second, beside the
bound of this machine; what a payment costs and weighs; webhooks; how soon the payments of a killed process
are final; how fast a backlog drains; what the sweeps cost over a million keys. Takes some six minutes; prints
Markdown, and on stderr what it is doing.

  --seconds N       of each row of payments (10)
  --connections N   of the load (32)
  --quick           a little of everything: shows that it works, measures nothing
  --write           puts the result between the markers in README.md
  --reconciliation  in place of all that, reconciles a report with every kind of difference planted at known places:
                    time, memory, and what was found; --write puts it into docs/reconciliation.md
  --lines N[,N]     of that report (1000000); of several, one after the other
  --ledger          in place of all that, reads balances and statements of one big account, with its balance snapshots
                    and without; --write puts it into docs/ledger.md
  --entries N       of that account (1000000)
`;

const OPTIONS = {
  seconds: { type: 'string' },
  connections: { type: 'string' },
  quick: { type: 'boolean' },
  write: { type: 'boolean' },
  reconciliation: { type: 'boolean' },
  lines: { type: 'string' },
  ledger: { type: 'boolean' },
  entries: { type: 'string' },
} as const;

/** `npm run figures`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: OPTIONS }, async (values) => {
    const stopping = stopAtSignals(() => progress('stopping: what was started is ended first'));
    try {
      return await workOf(values)(values, stopping);
    } catch (error) {
      if (!stopping.aborted) throw error;
      process.stdout.write('STOPPED: nothing was measured.\n', () => process.exit(2));
      return 2; // what was being measured goes on in this process, and would for minutes
    }
  });
}

function workOf(values: OptionValues) {
  if (values['lines'] !== undefined && !values['reconciliation'])
    throw new UsageError('--lines goes with --reconciliation.');
  if (values['entries'] !== undefined && !values['ledger'])
    throw new UsageError('--entries goes with --ledger.');
  if (values['ledger']) return ledger;
  return values['reconciliation'] ? reconciliation : wholeSystem;
}

async function wholeSystem(values: OptionValues, stopping: AbortSignal): Promise<number> {
  const whole = values['quick'] ? QUICK : FULL;
  const seconds = wholeNumber(values['seconds'], whole.seconds, 1, 600);
  const connections = wholeNumber(values['connections'], whole.connections, 1, 600);
  if (values['quick'] && values['write'])
    throw new UsageError('--quick measures nothing that could be written.');
  const scale = { ...whole, seconds, connections };
  const text = render(await onStage(stopping, (stage, db) => measureOn(stage, db, scale)));
  process.stdout.write(`${text}\n`);
  if (values['write']) writeInto('README.md', text);
  return 0;
}

/** One report after the other, each beside a database of its own. The exit code tells whether all was found and nothing else. */
async function reconciliation(values: OptionValues, stopping: AbortSignal): Promise<number> {
  const all: ReconciliationFigures[] = [];
  for (const lines of sizesOf(values['lines'])) {
    all.push(await onStage(stopping, (stage, db) => measureReconciliation(stage, db, lines)));
  }
  const text = renderReconciliation(all);
  process.stdout.write(`${text}\n`);
  if (values['write']) writeInto('docs/reconciliation.md', text);
  return all.every(isPerfect) ? 0 : 1;
}

/** The exit code tells whether every read was as fast as it is meant to be. */
async function ledger(values: OptionValues, stopping: AbortSignal): Promise<number> {
  const entries = wholeNumber(values['entries'], 1_000_000, 5_000, 10_000_000);
  const figures = await onStage(stopping, (stage, db) =>
    measureLedger(stage, db, { entries, requests: 300 }),
  );
  const text = renderLedger(figures);
  process.stdout.write(`${text}\n`);
  if (values['write']) writeInto('docs/ledger.md', text);
  return isFastEnough(figures) ? 0 : 1;
}

/** All are looked at before the first is measured, which takes minutes. */
function sizesOf(text: string | boolean | undefined): number[] {
  const texts = text === undefined ? [undefined] : String(text).split(',');
  return texts.map((each) => wholeNumber(each, 1_000_000, 2_000, 10_000_000));
}

/** With everything running; then with less and less of it, and the big tables last. */
async function measureOn(stage: Stage, db: Db, scale: Scale): Promise<Figures> {
  const first = await stage.startApi();
  let worker = stage.startWorker();
  await untilLiving(db, 2);
  const payments = await measurePayments(stage, scale);
  await untilQuiet(db, stage.mockUrl);
  const sizes = await readSizes(db);
  const bound = await measureBound(stage, db, scale);
  const webhooks = await measureWebhooks(stage, scale);
  await untilQuiet(db, stage.mockUrl);

  await worker.end('SIGTERM');
  await setWebhooks(stage.mockUrl, false);
  const costs = await countCosts(stage, db, scale);
  await first.end('SIGTERM');

  await setWebhooks(stage.mockUrl, true);
  worker = stage.startWorker();
  await untilLiving(db, 1);
  const { spread: crashes, api } = await measureCrashes(stage, db, scale);
  await untilQuiet(db, stage.mockUrl);
  await Promise.all([worker.end('SIGTERM'), api.end('SIGTERM')]);

  await setWebhooks(stage.mockUrl, false);
  const drain = {
    one: await measureDrain(stage, db, scale, 1),
    two: await measureDrain(stage, db, scale, 2),
  };
  const sweeps = await measureSweeps(stage, db, scale);
  const [version] = await db.run(SERVER_VERSION, []);
  const postgres = version?.version ?? '';
  return { postgres, scale, payments, bound, costs, sizes, webhooks, crashes, drain, sweeps };
}

/** So many processes can be seen. */
async function untilLiving(db: Db, count: number): Promise<void> {
  await until('the processes are there', { withinMs: 60_000 }, async () => {
    return (await db.run(FIND_LIVE_OWNERS, [])).length >= count;
  });
}

function writeInto(page: string, text: string): void {
  const file = join(checkoutRoot(), page);
  const before = readFileSync(file, 'utf8');
  const marked = /(<!-- figures:start -->\n)[\s\S]*(\n<!-- figures:end -->)/;
  if (!marked.test(before)) throw new UsageError(`${page} has no markers for the figures.`);
  writeFileSync(
    file,
    before.replace(marked, (_all, start, end) => `${start}${text}${end}`),
  );
  progress(`written into ${page}`);
}

function wholeNumber(
  text: string | boolean | undefined,
  byDefault: number,
  min: number,
  max: number,
): number {
  if (text === undefined) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new UsageError(`${String(text)} is not a number from ${min} to ${max}.`);
  return value;
}
