import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '#embedded/home.js';
import { say } from './start/say.js';
import type { System } from './start/system.js';
import { readArguments, runUntilStopped, tellHowToUse } from './start.js';

const HELP = `npm run dev [-- --fresh]

The same as npm start; when a file in apps/, libs/ or migrations/ changes, it builds and starts the services again.
The database keeps running. A build that fails leaves the old services at work.

  --fresh   begin anew: an empty database and an empty book of the mock processor
  --help    this text
`;

/** `npm run dev`. */
export async function main(args: string[]): Promise<void> {
  const startedMs = performance.now();
  const { fresh, help } = readArguments(args, HELP);
  if (help) return say(HELP);
  await runUntilStopped(async (system) => {
    await system.start({ fresh });
    // Before anybody is told that it is ready: a change made right after that must not be missed.
    watchSources(() => rebuild(system));
    tellHowToUse(system, (performance.now() - startedMs) / 1000);
  }, fresh);
}

const SETTLE_MS = 200;

/** Calls once for a burst of changes, and never while an earlier call is still at work. */
function watchSources(onChange: () => Promise<void>): void {
  const root = checkoutRoot();
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();
  for (const folder of ['apps', 'libs', 'migrations']) {
    watch(join(root, folder), { recursive: true }, (_event, file) => {
      if (!file || !/(?<!\.spec)\.ts$|\.sql$/.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        working = working.then(onChange, onChange);
      }, SETTLE_MS);
    });
  }
}

async function rebuild(system: System): Promise<void> {
  say('A source file has changed; building');
  if (!(await build())) return say('The build failed; the services go on as they were.');
  await system.restartServices();
  say('The services run from the new build.');
}

function build(): Promise<boolean> {
  return new Promise((resolve) => {
    const command = [join(checkoutRoot(), 'ops/build.mjs')];
    const child = spawn(process.execPath, command, { stdio: 'inherit' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
