import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { copyCheckout } from './copied-checkout.js';
import { removeHomes, START_TEST_MS, StartRun, temporaryHome } from './run-start.js';

vi.setConfig({ testTimeout: START_TEST_MS, hookTimeout: START_TEST_MS });

const { folder, checkout } = copyCheckout({ built: true });
const command = ['npm', 'run', 'dev'];
const run = new StartRun({ home: temporaryHome(), cwd: checkout, command });
afterAll(async () => {
  await run.cleanUp();
  removeHomes();
  rmSync(folder, { recursive: true, force: true });
});

it('npm run dev starts the services again when a source has changed, and survives a broken one', async () => {
  await run.untilReady();
  const before = run.pidOf('payments-api');
  const source = join(checkout, 'libs/platform/src/parent.ts');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, `${text}\nexport const broken: number = "no";\n`);
  await run.untilSays(/The build failed; the services go on as they were/);
  expect(run.pidOf('payments-api')).toBe(before);
  writeFileSync(source, `${text}\n// changed\n`);
  await run.untilSays(/The services run from the new build/);
  expect(run.pidOf('payments-api')).not.toBe(before);
});
