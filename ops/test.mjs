// `npm test`: the checks, then one run of every test, then one plain line with the counts.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, root } from './build.mjs';
import { checkSteps, runSteps } from './check.mjs';

const USAGE = `npm test [-- path or vitest arguments]

Without arguments: format, lint and types, then the tests (the house rules are among them), but for those of --long.
With arguments only the tests, as \`vitest run\` understands them:
  npm test -- libs/money              every test below a folder
  npm test -- test/promises -t race   tests whose title has a word
  npm test -- --long                  every fault and every kill, and what else takes minutes
  npm test -- --again                 files that failed are run once more, alone; one that passes then is named as flaky
The last line reads "N passed, N failed" (", N skipped" when there are some); a failed check counts as failed.
Exits 1 when anything failed.`;

/** What `npm test` leaves out, for `--long`. */
export const LONG_SPECS = [
  'test/faults/**',
  'test/crash/three-replicas.spec.ts',
  'test/crash/callers-who-leave.spec.ts',
  'test/recovery/zombies.spec.ts',
  'test/drill.spec.ts',
  'test/figures.spec.ts',
  'test/stopped.spec.ts',
  'test/ledger/snapshots.spec.ts',
  'test/reconciliation/next-report.spec.ts',
  'test/start/dev.spec.ts',
  'test/start/elsewhere.spec.ts',
];
/** These have cases that are run with `--long` only. */
const LONGER_SPECS = [
  'test/crash/request-path.spec.ts',
  'test/crash/news-and-recovery.spec.ts',
  'test/crash/reconciliation.spec.ts',
  'test/recovery/queue.spec.ts',
  'test/start/build.spec.ts',
  'test/proof/simulate.spec.ts',
  'test/reconciliation/classes.spec.ts',
];

/** Files that `--again` runs once more. */
const AGAIN_MAX = 4;

async function main(args) {
  if (args.includes('--help') || args.includes('-h')) return console.log(USAGE);
  const started = performance.now();
  const isLong = args.includes('--long');
  const more = args.filter((arg) => !['--long', '--again'].includes(arg));
  if (isLong) process.env['PAYONCE_LONG_TESTS'] = '1';
  // The house rules need no step of their own here: they are tests, and all tests run below.
  const steps = checkSteps().filter((step) => step.name !== 'house rules');
  const failedChecks = isLong || more.length > 0 ? [] : runSteps(steps);
  const failedBuild = buildFails() ? ['build'] : [];
  const first = await runVitest(
    isLong ? [...LONG_SPECS.map((path) => path.replace('**', '')), ...LONGER_SPECS, ...more] : more,
  );
  const result = args.includes('--again') ? await runAgain(first) : first;
  const failed = [...failedChecks, ...failedBuild];
  if (failed.length > 0) console.error(`\nFailed before the tests: ${failed.join(', ')}`);
  console.log(`\nTook ${((performance.now() - started) / 1000).toFixed(0)} s`);
  console.log(closingLine({ ...result, failed: result.failed + failed.length }));
  process.exitCode = result.failed + failed.length > 0 ? 1 : 0;
}

/** Tests that start processes run the demonstration build; built once here, no test has to wait for it. */
function buildFails() {
  try {
    const { fresh } = build('demonstration');
    if (fresh) console.log('Built the demonstration build');
    return false;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return true;
  }
}

/**
 * Two cores that other work shares can make a test wait in vain. What failed has been printed in full; what fails
 * alone as well has failed, and what does not is named. Many at once are no accident, and are not asked again.
 */
export async function runAgain(first, runTests = runVitest) {
  const files = first.failedFiles;
  if (files.length === 0 || files.length > AGAIN_MAX) return first;
  console.log(`\nOnce more, alone: ${listed(files)}`);
  const { failed, failedFiles } = await runTests(['--maxWorkers=1', ...files]);
  const flaky = files.filter((file) => !failedFiles.includes(file));
  if (flaky.length > 0) console.log(`\nFlaky, passed when run again: ${listed(flaky)}`);
  return { ...first, passed: first.passed + first.failed - failed, failed };
}

function listed(files) {
  return files.map((file) => relative(root, file)).join(', ');
}

export async function runVitest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-test-'));
  const file = join(folder, 'results.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const exitCode = await run(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args]);
    return countResults(readResults(file), exitCode);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs node in the foreground. A signal to us goes on to it, and we wait: it stops the servers that it started. */
function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    const pass = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, pass);
    child.on('close', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, pass);
      resolve(code ?? 1);
    });
  });
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null; // vitest died before it could write: the exit code alone speaks
  }
}

/** A file that cannot even be loaded, an error outside any test, no result at all: each counts as a failure. */
function countResults(results, exitCode) {
  const tests = results?.testResults ?? [];
  const brokenFiles = tests.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const passed = results?.numPassedTests ?? 0;
  const skipped = (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0);
  const failed = (results?.numFailedTests ?? 0) + brokenFiles;
  const failedFiles = tests.filter((file) => file.status === 'failed').map((file) => file.name);
  return { passed, skipped, failed: failed === 0 && exitCode !== 0 ? 1 : failed, failedFiles };
}

export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await main(process.argv.slice(2));
