import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

import { httpAnswer } from '#testing/raw-server.js';
import { PAYMENT, StripeBench } from '#testing/stripe-answers.js';

const bench = new StripeBench();
afterEach(() => bench.close());

const ANSWER = httpAnswer(200, JSON.stringify(PAYMENT));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CHARGE_ONCE = fileURLToPath(new URL('../../testing/src/charge-once.ts', import.meta.url));

/** Charges in a process of its own, which may die of it. */
async function chargeOnce(apiBase: string, failpoints: string, timeoutMs = 5000) {
  const script = `
    import { runnerImport } from 'vite';
    const resolve = { conditions: ['source'] };
    const options = { logLevel: 'error', environments: { inline: { resolve } } };
    await runnerImport(${JSON.stringify(CHARGE_ONCE)}, options);
  `;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', script, '--', apiBase, String(timeoutMs)],
    { cwd: ROOT, env: { ...process.env, FAILPOINTS: failpoints } },
  );
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const signal = await new Promise((resolve) =>
    child.on('exit', (_code, killer) => resolve(killer)),
  );
  return { signal, errors, outcome: output === '' ? null : (JSON.parse(output) as unknown) };
}

describe('a process that dies', () => {
  it('at c5 has sent the whole request', async () => {
    const { server } = await bench.serving(() => {});
    const { signal } = await chargeOnce(server.url, 'c5:1:kill');
    expect(signal).toBe('SIGKILL');
    await expect.poll(() => server.requests.length).toBe(1);
    expect(server.requests[0]?.body).toContain('payment_method=pm_123');
  });

  it('at c6 has the answer, and not before', async () => {
    let answer = () => {};
    const { server } = await bench.serving((socket) => (answer = () => socket.write(ANSWER)));
    const dead = chargeOnce(server.url, 'c6:1:kill');
    await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(1);
    const first = await Promise.race([dead, new Promise((resolve) => setTimeout(resolve, 300))]);
    expect(first).toBeUndefined();
    answer();
    expect(await dead).toMatchObject({ signal: 'SIGKILL', outcome: null });
  });
});

describe('a process that goes on', () => {
  it.each(['c5', 'c6'])(
    'behind an error at %s throws it and leaves no rejection',
    async (point) => {
      const { server } = await bench.serving((socket) => socket.write(ANSWER));
      const { outcome, errors } = await chargeOnce(server.url, `${point}:1:throw`);
      expect(outcome).toMatchObject({ kind: 'crashed' });
      expect(errors).toBe('');
      expect(server.requests).toHaveLength(1);
    },
  );

  it('behind a stay at c5 has missed its deadline, and says unknown', async () => {
    const { server } = await bench.serving(() => {});
    const { outcome } = await chargeOnce(server.url, 'c5:1:delay=900', 300);
    expect(outcome).toMatchObject({ kind: 'unknown', reason: 'timeout' });
    expect(server.requests).toHaveLength(1);
  });

  it('without failpoints is charged', async () => {
    const { server } = await bench.serving((socket) => socket.write(ANSWER));
    const { outcome } = await chargeOnce(server.url, '');
    expect(outcome).toMatchObject({ kind: 'succeeded', processorId: 'pi_1' });
  });
});
