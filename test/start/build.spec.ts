import { execFile } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { IS_LONG } from '#testing/is-long.js';
import { copyCheckout } from './copied-checkout.js';
import { START_TEST_MS } from './run-start.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

vi.setConfig({ testTimeout: START_TEST_MS });

it.runIf(IS_LONG)('builds that run at once leave one whole build and no rubbish', async () => {
  const { folder, checkout } = copyCheckout();
  folders.push(folder);
  const build = () => promisify(execFile)(process.execPath, ['ops/build.mjs'], { cwd: checkout });
  await Promise.all([build(), build(), build()]);
  expect(readdirSync(checkout).filter((name) => name.startsWith('dist'))).toEqual(['dist-demo']);
  const start = join(checkout, 'dist-demo/ops/start.js');
  expect((await promisify(execFile)(process.execPath, ['--check', start])).stderr).toBe('');
  expect((await build()).stdout).toContain('up to date');
});

it.each([
  ['npm run build', 1, ['ops/build.mjs', '--production']],
  // For a command, 1 is a finding, and 2 that it could not run.
  ['npm start', 2, ['ops/run.mjs', 'start', '--help']],
])(
  "%s ends with %i, the compiler's lines and one of ours when the build fails",
  async (_, exit, args) => {
    const { folder, checkout } = copyCheckout();
    folders.push(folder);
    writeFileSync(
      join(checkout, 'libs/money/src/broken.ts'),
      'export const broken: number = "";\n',
    );
    // One library is enough to fail, and takes a fraction of the time.
    const few = { extends: './tsconfig.json', include: ['libs/money/src'] };
    writeFileSync(join(checkout, 'tsconfig.build.json'), JSON.stringify(few));
    const run = promisify(execFile)(process.execPath, args, { cwd: checkout });
    const { code, stderr } = await run.then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    );
    expect(code).toBe(exit);
    expect(stderr).toMatch(/broken\.ts\S+ error TS2322.*\nThe TypeScript build failed/s);
    expect(stderr).not.toContain('    at ');
  },
);
