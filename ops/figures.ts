import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkoutRoot, payonceHome } from '#embedded/home.js';
import { lastRunRecord } from '#embedded/run-record.js';
import type { Db } from '#postgres/db.js';
import { UsageError, runCommand } from './command.js';
import { type LoopResult, type Shot, closedLoop } from './figures/closed-loop.js';
import * as sql from './figures/figures.sql.js';
import { type Figures, render } from './figures/render.js';
import { onDatabase } from './on-database.js';
import { readStartSettings } from './start/settings.js';
import { System } from './start/system.js';

const HELP = `npm run figures -- [--seconds N] [--connections N] [--write]

Measures a system of its own, started for this and thrown away: payments and replays a second with a
processor that answers at once and one that takes 50 ms, round trips and commits per payment, bytes
per payment. Takes about a minute and a half; prints Markdown.

  --seconds N       of each row (10)
  --connections N   of the load (32)
  --write           puts the result between the markers in README.md
`;

const OPTIONS = {
  seconds: { type: 'string' },
  connections: { type: 'string' },
  write: { type: 'boolean' },
} as const;

const WARMUP_MS = 3_000;
const COUNTED = 500;

/** `npm run figures`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: OPTIONS }, async (values) => {
    const seconds = wholeNumber(values['seconds'], 10);
    const connections = wholeNumber(values['connections'], 32);
    const text = render(await measure(seconds, connections));
    process.stdout.write(`${text}\n`);
    if (values['write']) writeIntoReadme(text);
    return 0;
  });
}

async function measure(seconds: number, connections: number): Promise<Figures> {
  process.env['PAYONCE_HOME'] = mkdtempSync(join(tmpdir(), 'payonce-figures-'));
  const home = payonceHome();
  const env = {
    ...process.env,
    DATABASE_URL: '',
    PORT: '0',
    MOCK_PORT: '0',
    LOG_LEVEL: 'warning',
    ACCOUNT_IN_FLIGHT_MAX: '10000',
    ACCOUNT_NEW_KEYS_PER_MINUTE: '10000000',
  };
  const settings = await readStartSettings(env, true);
  const build = dirname(dirname(fileURLToPath(import.meta.url)));
  const system = new System({ root: checkoutRoot(), build, home, env, settings });
  try {
    await system.start({ fresh: true });
    const ownerUrl = lastRunRecord(home)?.databaseUrl ?? '';
    const base = { url: system.apiUrl, apiKey: system.apiKey ?? '', seconds, connections };
    return await onDatabase(ownerUrl, 'figures', (db) => measureRunning({ db, ...base }));
  } finally {
    await system.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

type Run = { db: Db; url: string; apiKey: string; seconds: number; connections: number };

async function measureRunning(run: Run): Promise<Figures> {
  const { db, seconds, connections } = run;
  await db.run(sql.ENABLE_STATEMENT_COUNTS, []);
  const paid = shot(run.apiKey, randomUUID(), 'pm_123');
  await loop(run, 1, () => paid); // one payment, and replays of it from here on
  const loops = [
    {
      name: 'payments, processor at 0 ms',
      result: await loop(run, seconds, () => fresh(run, 'pm_123')),
    },
    {
      name: 'payments, processor at 50 ms',
      result: await loop(run, seconds, () => fresh(run, 'pm_test_slow_50')),
    },
    { name: 'replays', result: await loop(run, seconds, () => paid) },
  ];
  refuseErrors(loops);
  const payments = await counted(run, () => fresh(run, 'pm_123'));
  const replays = await counted(run, () => paid);
  const [version] = await db.run(sql.SERVER_VERSION, []);
  const [all] = await db.run(sql.COUNT_PAYMENTS, []);
  const sizes = await db.run(sql.READ_SIZES, []);
  return {
    postgres: version?.version ?? '',
    connections,
    seconds,
    loops,
    roundTripsPerPayment: payments.roundTrips,
    commitsPerPayment: payments.commits,
    roundTripsPerReplay: replays.roundTrips,
    counted: COUNTED,
    sizes: sizes.map(({ name, heap, indexes }) => ({
      name,
      heapBytes: Number(heap),
      indexBytes: Number(indexes),
    })),
    sizedPayments: all?.count ?? 0,
  };
}

async function loop(run: Run, seconds: number, next: () => Shot): Promise<LoopResult> {
  const { url, connections } = run;
  return closedLoop({ url, connections, warmupMs: WARMUP_MS, measureMs: seconds * 1000, next });
}

/** Round trips and commits of one request, from what PostgreSQL itself counted. */
async function counted(
  run: Run,
  next: () => Shot,
): Promise<{ roundTrips: number; commits: number }> {
  const { db } = run;
  await settled();
  await db.run(sql.FORGET_STATEMENT_COUNTS, []);
  for (let sent = 0; sent < COUNTED; sent++) {
    const { path, headers, body } = next();
    const answer = await fetch(run.url + path, { method: 'POST', headers, body });
    await answer.arrayBuffer();
  }
  await settled();
  const statements = await db.run(sql.COUNT_STATEMENTS, []);
  const ofRequests = statements.filter(({ query }) => !BY_THE_CLOCK.test(query));
  const roundTrips = ofRequests.reduce((sum, { calls }) => sum + calls, 0) / COUNTED;
  const commits = ofRequests.filter(
    ({ query }) => /INSERT|UPDATE|DELETE/.test(query) && !query.startsWith('SELECT'),
  );
  return { roundTrips, commits: commits.reduce((sum, { calls }) => sum + calls, 0) / COUNTED };
}

/** What the worker's sweeps and the API's look at its keys run every second, however many payments there are. */
const BY_THE_CLOCK =
  /^(WITH mark AS|WITH due AS|WITH running AS|UPDATE sweep_marks|SELECT k\.id, k\.account_id|SELECT \$1 AS ok)/;

/** Statistics of a session reach the shared counts when it has been idle for a moment. */
async function settled(): Promise<void> {
  await pause(1_200);
}

function fresh({ apiKey }: Run, method: string): Shot {
  return shot(apiKey, randomUUID(), method);
}

function shot(apiKey: string, key: string, method: string): Shot {
  const body = JSON.stringify({
    amount: 2500,
    currency: 'myr',
    payment_method: method,
    order_id: `order-${key}`,
  });
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'idempotency-key': key,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  return { path: '/v1/payments', headers, body };
}

/** A row with errors in it is not a measurement. */
function refuseErrors(loops: { name: string; result: LoopResult }[]): void {
  for (const { name, result } of loops) {
    const others = Object.keys(result.statuses).filter((status) => status !== '201');
    if (others.length > 0)
      throw new Error(`${name}: answers were ${JSON.stringify(result.statuses)}`);
  }
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
}

function wholeNumber(text: string | boolean | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 600)
    throw new UsageError(`${String(text)} is not a number from 1 to 600.`);
  return value;
}
