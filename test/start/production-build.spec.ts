import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkoutRoot } from '#embedded/home.js';
import { DEMO_LEDGER_KEY } from '#platform/config.js';
import { FAILPOINT_NAMES } from '#seams/failpoints.js';

const root = checkoutRoot();
const dist = join(root, 'dist');

/** Settings with which the production build would start, were it not for the one that a test spoils. */
const SETTINGS = {
  PATH: process.env['PATH'] ?? '',
  APP_DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/nowhere',
  STRIPE_API_BASE: 'http://127.0.0.1:1',
  STRIPE_SECRET_KEY: 'sk_test_of_your_own',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_your_own',
  LEDGER_SIGNING_KEY: Buffer.alloc(32, 'of your own').toString('base64'),
};

describe('the production build', () => {
  beforeAll(async () => {
    const { code, stderr } = await run([join(root, 'ops/build.mjs'), '--production'], process.env);
    expect(code, stderr).toBe(0);
  });

  it('holds an empty module in the place of the failpoints', () => {
    const failpoints = readFileSync(join(dist, 'libs/seams/src/failpoints.js'), 'utf8');
    expect(failpoints).not.toMatch(/process\.|SIG|setTimeout|while/);
    for (const name of FAILPOINT_NAMES) expect(failpoints).not.toContain(`'${name}'`);
    expect(failpoints).toMatch(/failpointsArmed = false/);
  });

  it('has no second module that reads FAILPOINTS', () => {
    const readers = filesOf(dist).filter((file) =>
      /env\.FAILPOINTS/.test(readFileSync(file, 'utf8')),
    );
    expect(readers).toEqual([]);
  });

  it('holds no specs, no testing library and no leftover of the demonstration build', () => {
    const files = filesOf(dist);
    expect(files.filter((file) => /\.spec\.|libs\/testing|\.production\./.test(file))).toEqual([]);
    expect(existsSync(join(dist, 'package.json'))).toBe(false);
  });

  it.each([
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: 'sk_test_payonce_demo' }],
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: '' }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: 'whsec_payonce_demo' }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: 'whsec_new,whsec_payonce_demo' }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: '' }],
    ['LEDGER_SIGNING_KEY', { LEDGER_SIGNING_KEY: '' }],
    ['LEDGER_SIGNING_KEY', { LEDGER_SIGNING_KEY: DEMO_LEDGER_KEY }],
    ['LEDGER_SIGNING_KEY', { LEDGER_SIGNING_KEY: 'c2hvcnQ=' }],
    ['FAILPOINTS', { FAILPOINTS: 'c5:1:kill' }],
    ['PAYONCE_DEMO_KEY', { PAYONCE_DEMO_KEY: demoKey() }],
    ['PROCESSOR_KEY_WINDOW_MS', { PROCESSOR_KEY_WINDOW_MS: '0', LEASE_MS: '1799999' }],
  ])('refuses to start, naming %s, with %o', async (name, spoiled) => {
    const { code, stderr } = await startApi({ ...SETTINGS, ...spoiled });
    expect(code).toBe(78);
    expect(stderr).toContain(name);
  });

  it('would start with secrets of its own: it gets as far as the database', async () => {
    const { code, stdout } = await startApi(SETTINGS);
    expect(code).toBe(1);
    expect(stdout).toContain('process_failed');
  });
});

function startApi(env: NodeJS.ProcessEnv) {
  return run([join(dist, 'apps/payments-api/src/main.js')], env);
}

function run(args: string[], env: NodeJS.ProcessEnv) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, env });
    const heard = { stdout: '', stderr: '' };
    child.stdout.on('data', (bytes: Buffer) => (heard.stdout += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (heard.stderr += bytes.toString()));
    child.on('close', (code) => resolve({ code, ...heard }));
  });
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The key that `.env.example` shows to everybody. */
function demoKey(): string {
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  return /^PAYONCE_DEMO_KEY=(\S+)$/m.exec(example)?.[1] ?? '';
}
