// `npm run soak`: the spec of three replicas that are killed at random, for as long as one likes, with its progress.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { runVitest } from './test.mjs';

const USAGE = `npm run soak [-- --seconds 60] [--seed N]

Three replicas of API and worker on one database and one card processor of their own, under load. All the while
two of the three are killed at random (kill -9) and started again. At the end the answers that clients heard, the
database and the processor's book must agree: nothing lost, nothing double, every intent final.

  --seconds N   how long the load lasts (60)
  --seed N      repeats the intents and the order of the kills of another run; printed with every run
  --help        prints this
Exits 0 when the books agree, 1 when they do not, 2 when it could not run, or was stopped.`;

const SPEC = 'test/crash/three-replicas.spec.ts';
/** Half a load shows nothing, whatever the test says of it. */
const STOPPED = { verdict: 'It was stopped before the books were compared', exitCode: 2 };

async function main(args) {
  const { seconds, seed, help } = readArguments(args);
  if (help) return console.log(USAGE);
  console.log(`Three replicas for ${seconds} s, seed ${seed}`);
  build('demonstration');
  process.env['PAYONCE_LONG_TESTS'] = '1';
  process.env['SOAK_SECONDS'] = seconds;
  process.env['SOAK_SEED'] = seed;
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (isStopped = true));
  const counts = await runAlone();
  const { verdict, exitCode } = isStopped ? STOPPED : judge(counts);
  console.log(`${verdict} (seed ${seed})`);
  process.exitCode = exitCode;
}

/** With a folder for temporary files of its own: a run that was stopped leaves some. */
async function runAlone() {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-soak-'));
  chmodSync(folder, 0o755); // the database server's user, another one when we are root, passes through
  process.env['TMPDIR'] = folder;
  try {
    return await runVitest([SPEC]);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 }); // its server may be just ending
  }
}

/** What never came to its one test is no finding about the books. */
function judge({ passed, failed, skipped }) {
  if (passed === 1 && failed === 0) return { verdict: 'The books agree', exitCode: 0 };
  if (failed === 1 && skipped === 0) return { verdict: 'It does not hold', exitCode: 1 };
  return { verdict: 'It could not run', exitCode: 2 };
}

function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', short: 'h' },
    },
  });
  for (const name of ['seconds', 'seed']) {
    if (!/^\d{1,9}$/.test(values[name])) throw new Error(`--${name} is a whole number`);
  }
  return values;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
