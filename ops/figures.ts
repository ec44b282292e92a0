import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '#embedded/home.js';
import { FIND_LIVE_OWNERS } from '#payments/orphans.sql.js';
import type { Db } from '#postgres/db.js';
import { UsageError, runCommand } from './command.js';
import { measureBound } from './figures/bound.js';
import { measureCrashes } from './figures/crash.js';
import { measureDrain } from './figures/drain.js';
import { SERVER_VERSION } from './figures/figures.sql.js';
import { countCosts, measurePayments, readSizes } from './figures/payments.js';
import { progress } from './figures/progress.js';
import { setWebhooks, until, untilQuiet } from './figures/quiet.js';
import { type Figures, render } from './figures/render.js';
import { FULL, QUICK, type Scale } from './figures/scale.js';
import { Stage } from './figures/stage.js';
import { measureSweeps } from './figures/sweeps.js';
import { measureWebhooks } from './figures/webhooks.js';
import { onDatabase } from './on-database.js';

const HELP = `npm run figures -- [--seconds N] [--connections N] [--quick] [--write]

Measures a system of its own, started for this and thrown away: payments and replays a second, beside the
bound of this machine; what a payment costs and weighs; webhooks; how soon the payments of a killed process
are final; how fast a backlog drains; what the sweeps cost over a million keys. Takes some six minutes; prints
Markdown, and on stderr what it is doing.

  --seconds N       of each row of payments (10)
  --connections N   of the load (32)
  --quick           a little of everything: shows that it works, measures nothing
  --write           puts the result between the markers in README.md
`;

const OPTIONS = {
  seconds: { type: 'string' },
  connections: { type: 'string' },
  quick: { type: 'boolean' },
  write: { type: 'boolean' },
} as const;

/** `npm run figures`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: OPTIONS }, async (values) => {
    const whole = values['quick'] ? QUICK : FULL;
    const seconds = wholeNumber(values['seconds'], whole.seconds);
    const connections = wholeNumber(values['connections'], whole.connections);
    if (values['quick'] && values['write'])
      throw new UsageError('--quick measures nothing that could be written.');
    const text = render(await measure({ ...whole, seconds, connections }));
    process.stdout.write(`${text}\n`);
    if (values['write']) writeIntoReadme(text);
    return 0;
  });
}

async function measure(scale: Scale): Promise<Figures> {
  const stage = await Stage.open();
  try {
    return await onDatabase(stage.ownerUrl, 'figures', (db) => measureOn(stage, db, scale));
  } finally {
    await stage.close();
  }
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
  await until('the processes are there', 60_000, async () => {
    return (await db.run(FIND_LIVE_OWNERS, [])).length >= count;
  });
}

function writeIntoReadme(text: string): void {
  const file = join(checkoutRoot(), 'README.md');
  const readme = readFileSync(file, 'utf8');
  const marked = /(<!-- figures:start -->\n)[\s\S]*(\n<!-- figures:end -->)/;
  if (!marked.test(readme)) throw new UsageError('README.md has no markers for the figures.');
  writeFileSync(
    file,
    readme.replace(marked, (_all, start, end) => `${start}${text}${end}`),
  );
  progress('written into README.md');
}

function wholeNumber(text: string | boolean | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 600)
    throw new UsageError(`${String(text)} is not a number from 1 to 600.`);
  return value;
}
