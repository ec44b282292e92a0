// `npm run check`: format, lint, types and house rules. Every step runs even when an earlier one failed, so that
// one run tells all; the exit code is 1 when any of them failed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './build.mjs';

const USAGE = `npm run check [-- --fix]

Runs, and names with its time: the formatter, the linter, the type checks, the house rules.
  --fix    lets the formatter and the linter repair what they can, then checks
  --help   prints this
Exits 1 when a step failed.`;

const TYPESCRIPT = 'node_modules/typescript7/bin/tsc';

/** The steps in their order: cheap and mechanical first, so that a person fixes from the top. */
export function checkSteps({ fix = false } = {}) {
  return [
    {
      name: 'format',
      args: [
        'node_modules/prettier/bin/prettier.cjs',
        fix ? '--write' : '--check',
        '--log-level',
        'warn',
        '.',
      ],
    },
    {
      name: 'lint',
      args: ['node_modules/oxlint/bin/oxlint', '--deny-warnings', ...(fix ? ['--fix'] : [])],
    },
    { name: 'types', args: [TYPESCRIPT, '--noEmit', '-p', 'tsconfig.json'] },
    {
      name: 'types of the load tests',
      args: [TYPESCRIPT, '--noEmit', '-p', 'load-tests/tsconfig.json'],
    },
    {
      name: 'house rules',
      args: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/tidy/vitest.config.ts'],
    },
  ];
}

/** Runs every step and returns the names of those that failed. */
export function runSteps(steps) {
  return steps.filter((step) => !passes(step)).map((step) => step.name);
}

function passes({ name, args }) {
  const started = performance.now();
  const missing = existsSync(join(root, args[0]))
    ? ''
    : `${args[0]} is not installed: run npm ci first`;
  const run = missing
    ? { status: 1 }
    : spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (missing) console.error(missing);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${run.status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  return run.status === 0;
}

function main(args) {
  const unknown = args.find((arg) => !['--fix', '--help', '-h'].includes(arg));
  if (args.includes('--help') || args.includes('-h')) return console.log(USAGE);
  if (unknown) {
    console.error(`Unknown argument ${unknown}\n\n${USAGE}`);
    return (process.exitCode = 2);
  }
  const failed = runSteps(checkSteps({ fix: args.includes('--fix') }));
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
