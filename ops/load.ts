import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkoutRoot, payonceHome } from '#embedded/home.js';
import { currentRunRecord } from '#embedded/run-record.js';
import { runScenario, type Load, type Scenario } from './load/executors.js';
import { HttpClient } from './load/http.js';
import { Metrics } from './load/metrics.js';
import { Script } from './load/script.js';
import { summary } from './load/summary.js';
import { VirtualUser, type Run } from './load/virtual-user.js';
import { demoKey } from './start/demo-key.js';

const USAGE = `npm run load -- SCRIPT [options]

Runs a k6 script on Node, without k6; load-tests/README.md says where that differs.
  npm run load -- load-tests/payments.ts --rate 50 --duration 30s

The target is the API that npm start runs here, or BASE_URL with API_KEY.

  --rate N           sets RATE for the script
  --duration TIME    sets DURATION for the script (30s, 2m)
  --env NAME=VALUE   sets any variable of the script's __ENV; may be repeated
  --help             prints this
Exits 0 when every threshold holds, 99 when one does not, 107 when the script cannot run.`;

/** k6's own exit codes, so that a pipeline can take either. */
const THRESHOLDS_FAILED = 99;
const SCRIPT_FAILED = 107;
const REPORTED_MAX = 5;

export async function main(args: string[]): Promise<void> {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    const [path, ...more] = positionals;
    if (values.help) return console.log(USAGE);
    if (path === undefined || more.length > 0) throw new Error(`One script is wanted.\n\n${USAGE}`);
    process.exitCode = await runLoad(resolve(path), environment(values));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = SCRIPT_FAILED;
  }
}

const OPTIONS = {
  rate: { type: 'string' },
  duration: { type: 'string' },
  env: { type: 'string', multiple: true, short: 'e' },
  help: { type: 'boolean', short: 'h' },
} as const;

function environment(values: { rate?: string; duration?: string; env?: string[] }): Run['env'] {
  const given = (values.env ?? []).map((pair): [string, string] => {
    const at = pair.indexOf('=');
    if (at < 1) throw new Error(`--env ${pair} is not NAME=VALUE`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const rate = values.rate === undefined ? {} : { RATE: values.rate };
  const duration = values.duration === undefined ? {} : { DURATION: values.duration };
  return { ...runningHere(), ...process.env, ...rate, ...duration, ...Object.fromEntries(given) };
}

/** Without an address of another API, the one that `npm start` runs on this machine, with its demo key. */
function runningHere(): Run['env'] {
  if (process.env['BASE_URL'] !== undefined) return {};
  const record = currentRunRecord(payonceHome());
  return record ? { BASE_URL: record.apiUrl, API_KEY: demoKey(checkoutRoot(), process.env) } : {};
}

async function runLoad(path: string, env: Run['env']): Promise<number> {
  const metrics = new Metrics();
  const http = new HttpClient(metrics);
  const run: Run = { script: new Script(path), metrics, http, env, options: {} };
  const first = new VirtualUser(run, 0);
  run.options = (first.exports['options'] ?? {}) as Run['options'];
  metrics.expect((run.options['thresholds'] ?? {}) as Record<string, unknown>);
  const failures = new Failures();
  const stop = stopOnSignal();
  try {
    const data = await call(first, 'setup');
    const started = performance.now();
    await runScenarios({
      run,
      data,
      stop,
      report: (error) => failures.add(error),
      nextId: counter(),
    });
    const seconds = (performance.now() - started) / 1000;
    await call(first, 'teardown', data);
    const verdicts = metrics.verdicts(seconds);
    console.log(summary(metrics, verdicts, seconds));
    failures.tell();
    return verdicts.every(({ passed }) => passed) ? 0 : THRESHOLDS_FAILED;
  } finally {
    await http.close();
  }
}

async function runScenarios(load: Load): Promise<void> {
  const scenarios = load.run.options['scenarios'] as Record<string, Scenario> | undefined;
  if (!scenarios) throw new Error('The script has no options.scenarios, which this runner needs');
  for (const [name, { executor, rate, duration, startTime }] of Object.entries(scenarios)) {
    console.log(
      `  ${name}: ${executor} ${[rate && `${rate}/s`, duration && `for ${duration}`, startTime && `from ${startTime}`].filter(Boolean).join(' ')}`,
    );
  }
  await Promise.all(
    Object.entries(scenarios).map(([name, scenario]) => runScenario(load, name, scenario)),
  );
}

async function call(user: VirtualUser, name: string, data?: unknown): Promise<unknown> {
  const exported = user.exports[name];
  return typeof exported === 'function' ? await exported(data) : undefined;
}

/** The first signal ends the load and prints what was measured so far; the second ends the process. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => controller.abort());
  return controller.signal;
}

function counter(): () => number {
  let last = 0;
  return () => (last += 1);
}

/** An iteration that throws is told, as in k6, but not a thousand times. */
class Failures {
  private count = 0;

  add(error: unknown): void {
    this.count += 1;
    if (this.count <= REPORTED_MAX)
      console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  }

  tell(): void {
    if (this.count > 0) console.error(`\n${this.count} iterations threw or did not end.`);
  }
}
