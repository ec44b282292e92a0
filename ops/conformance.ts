import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { faultsOf, settled, type Adapter } from './conformance/adapter.js';
import type { Target } from './conformance/bench.js';
import payonce from './conformance/payonce.js';
import { runPeers } from './conformance/peers.js';
import { peersPage } from './conformance/peers-page.js';
import { CHECK_IDS } from './conformance/phases.js';
import { jsonReport, textReport } from './conformance/report.js';
import { CouldNotRun, runChecks } from './conformance/run-checks.js';
import { outFolder } from './command.js';
import { stopAtSignals } from './stop-signals.js';

const USAGE = `npm run conformance -- URL --key KEY [options]

Tries an HTTP service with idempotency keys from outside: missing, malformed and doubled keys, replays,
conflicts, parallel bursts, errors that must not stick, whose key it is, how bodies are compared, answers
that were lost. What happened is counted in the service, not in its answers. Makes some 1,300
requests, of which some 250 have an effect: give it a test account.

  URL                 the service, for example http://127.0.0.1:3000
  --key KEY           the credential of an account
  --other-key KEY     that of another account
  --rotated-key KEY   another one of the first account
  --adapter FILE      how to talk to the service, if it is not Payonce; docs/conformance.md tells how
  --processes N       how many processes send at one instant (8)
  --timeout SECONDS   how long an answer may take (15)
  --settle SECONDS    how long a request that is tried again may take to get its final answer (20)
  --json              prints the report as JSON, alone
  --out FOLDER        writes report.json there, with --peers instead peers.md
  --peers             installs libraries that do the same, and compares them; the URL may be left out then
  --help              prints this
Exits 0 when each check passes, differs on purpose or does not apply, 1 when one fails, 2 when it could
not run.`;

const FAILED = 1;
const COULD_NOT_RUN = 2;

export async function main(args: string[]): Promise<void> {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (values.help) return console.log(USAGE);
    if (values.peers && positionals.length === 0) return await compare(null, values);
    const target = await readTarget(values, positionals);
    if (values.peers) return await compare(target, values);
    process.exitCode = await conform(target, values);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = COULD_NOT_RUN;
  }
}

const OPTIONS = {
  key: { type: 'string' },
  'other-key': { type: 'string' },
  'rotated-key': { type: 'string' },
  adapter: { type: 'string' },
  processes: { type: 'string', default: '8' },
  timeout: { type: 'string', default: '15' },
  settle: { type: 'string', default: '20' },
  json: { type: 'boolean', default: false },
  peers: { type: 'boolean', default: false },
  out: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

async function readTarget(values: Values, positionals: string[]): Promise<Target> {
  const [url, ...more] = positionals;
  const { key, 'other-key': otherKey, 'rotated-key': rotatedKey } = values;
  if (url === undefined || more.length > 0 || key === undefined)
    throw new CouldNotRun(`One URL and a --key are wanted.\n\n${USAGE}`);
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new CouldNotRun(`${url} is not the address of an HTTP service`);
  return {
    url: url.replace(/\/+$/, ''),
    adapter: settled(values.adapter === undefined ? payonce : await load(values.adapter)),
    keys: {
      key,
      ...(otherKey !== undefined && { otherKey }),
      ...(rotatedKey !== undefined && { rotatedKey }),
    },
    ...limitsOf(values),
  };
}

function limitsOf(values: Values) {
  return {
    patienceMs: 1000 * whole(values.timeout, '--timeout', 600),
    settleMs: 1000 * whole(values.settle, '--settle', 600),
    processes: whole(values.processes, '--processes', 64),
  };
}

function whole(text: string, option: string, max: number): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max)
    throw new CouldNotRun(`${option} must be a whole number from 1 to ${max}`);
  return value;
}

async function load(path: string): Promise<Adapter> {
  const { default: adapter } = (await import(pathToFileURL(resolve(path)).href)) as {
    default: unknown;
  };
  const faults = faultsOf(adapter, CHECK_IDS);
  if (faults.length > 0) throw new CouldNotRun(`${path}: ${faults.join('; ')}`);
  return adapter as Adapter;
}

async function conform(target: Target, { json, ...values }: Values): Promise<number> {
  const out = values.out === undefined ? null : outFolder(values.out);
  const run = await runChecks(target, (phase) => console.error(`  ${phase}`));
  const report = `${JSON.stringify(jsonReport(run, target.adapter), null, 2)}\n`;
  if (json) process.stdout.write(report);
  else console.log(textReport(run, target.adapter));
  if (out !== null) writeFileSync(join(out, 'report.json'), report);
  return run.results.some(({ outcome }) => outcome === 'fail') ? FAILED : 0;
}

/** Peers are measured, not judged: their reds are no failure of this command. */
async function compare(own: Target | null, values: Values): Promise<void> {
  const out = values.out === undefined ? null : outFolder(values.out);
  const stop = new AbortController();
  const stopped = new CouldNotRun('Stopped before the end.');
  stopAtSignals().addEventListener('abort', () => stop.abort(stopped));
  const tell = (line: string) => console.error(`  ${line}`);
  const run = own && { run: await runChecks(own, tell), adapter: own.adapter };
  const page = peersPage(await runPeers(limitsOf(values), tell, stop.signal), run);
  if (out === null) return console.log(page);
  writeFileSync(join(out, 'peers.md'), page);
}
