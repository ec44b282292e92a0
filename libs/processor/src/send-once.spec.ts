import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Dispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';

import { systemClock, type Clock } from '#seams/clock.js';
import { httpAnswer } from '#testing/raw-server.js';
import { PAYMENT, StripeBench } from '#testing/stripe-answers.js';
import { sendOnce } from './send-once.js';

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
      // The failpoint's own line and nothing else: no rejection that nobody handles.
      expect(errors).toMatch(/^\{[^\n]*"event":"failpoint"[^\n]*\}\n$/);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('behind a stay at c5 has missed its deadline, and says unknown', async () => {
    const { server } = await bench.serving(() => {});
    const { outcome } = await chargeOnce(server.url, 'c5:1:delay=900', 300);
    expect(outcome).toMatchObject({ kind: 'unknown', reason: 'timeout' });
    expect((outcome as { elapsedMs: number }).elapsedMs).toBeGreaterThan(890);
    expect(server.requests).toHaveLength(1);
  });

  it('without failpoints is charged', async () => {
    const { server } = await bench.serving((socket) => socket.write(ANSWER));
    const { outcome } = await chargeOnce(server.url, '');
    expect(outcome).toMatchObject({ kind: 'succeeded', processorId: 'pi_1' });
  });
});

describe('a request that undici begins', () => {
  function send(
    dispatch: (handler: Dispatcher.DispatchHandler) => void,
    clock: Clock = systemClock,
  ) {
    const dispatcher = {
      dispatch(_options: unknown, handler: Dispatcher.DispatchHandler) {
        dispatch(handler);
        return true;
      },
    } as unknown as Dispatcher;
    const request = { method: 'POST', path: '/', headers: {}, body: 'a=1' } as const;
    return sendOnce(dispatcher, { ...request, timeoutMs: 1000, clock });
  }

  /** Written unless it is broken off, as in undici: in the same turn, behind this call. */
  function begin(handler: Dispatcher.DispatchHandler) {
    let brokenOff: Error | null = null;
    const controller = { abort: (error: Error) => (brokenOff ??= error) };
    handler.onRequestStart?.(controller as unknown as Dispatcher.DispatchController, {});
    return { controller, brokenOff: () => brokenOff };
  }

  it('a second time is broken off before it is written', async () => {
    const exchange = await send((handler) => {
      expect(begin(handler).brokenOff()).toBeNull();
      const { controller, brokenOff } = begin(handler);
      expect(brokenOff()).toBeInstanceOf(Error);
      handler.onResponseError?.(controller as never, brokenOff() as unknown as Error);
    });
    expect(exchange).toMatchObject({ kind: 'failed', failure: 'reset' });
  });

  it('when its time is up is broken off before it is written', async () => {
    let nowMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
    const exchange = await send((handler) => {
      nowMs = 1000;
      const { controller, brokenOff } = begin(handler);
      expect(brokenOff()).toBeInstanceOf(Error);
      handler.onResponseError?.(controller as never, brokenOff() as unknown as Error);
    }, clock);
    expect(exchange).toMatchObject({ kind: 'failed', failure: 'deadline_before_sending' });
  });
});
