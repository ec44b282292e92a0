import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

describe('a caller who has gone', () => {
  const victims = new Processes();
  let system: ProcessSystem;
  let next: ServiceProcess;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    next = await system.api(system.lasting);
  });
  afterEach(() => victims.endAll());
  afterAll(() => system.close());

  /** The process stops at a failpoint with the request in hand; meanwhile its caller hangs up. */
  async function hangUpAt(point: string, key: string, body: object, prefer = '') {
    const api = await system.api(victims, `${point}:stop`);
    let leave = () => {};
    const hangUp = new Promise<void>((resolve) => (leave = resolve));
    const headers: Record<string, string> = prefer === '' ? {} : { prefer };
    const left = system.pay(api, key, body, { headers, hangUp });
    await api.untilStopped();
    leave();
    expect((await left).status).toBeNull();
    return api;
  }

  it.each(['', 'wait=30', 'respond-async'])(
    'before the claim costs nothing, with Prefer: "%s"',
    async (prefer) => {
      const key = randomUUID();
      const api = await hangUpAt('c1:1', key, {}, prefer);
      api.kill('SIGCONT');
      await api.untilSays('caller_gone');
      const books = await readBooks(system, key);
      expect([books.key, books.payment, books.charges]).toEqual([null, null, []]);
      const again = await system.pay(api, key);
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
    },
  );

  it.each(['SIGCONT', 'SIGTERM'] as const)(
    'after the claim has a payment that is finished, also by a process that ends (%s)',
    async (signal) => {
      const key = randomUUID();
      const body = { payment_method: 'pm_test_slow_1000' };
      const api = await hangUpAt('c3:1', key, body);
      api.kill(signal);
      api.kill('SIGCONT');
      if (signal === 'SIGTERM') expect(await api.exit).toEqual({ code: 0, signal: null });
      else await until(async () => (await readBooks(system, key)).key?.state === 'finished');
      const books = await readBooks(system, key);
      expect(disagreements(books, [])).toEqual([]);
      expect(books.attempts).toHaveLength(1);
      const retried = await system.pay(next, key, body);
      expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([201, 'true']);
    },
  );

  it('has its payment finished by a process that is told to end: after its 202, and exit 0', async () => {
    const key = randomUUID();
    const api = await system.api(victims);
    // The first request of a process opens its connections, which may take longer than the wait.
    expect((await system.pay(api, randomUUID())).status).toBe(201);
    const body = { payment_method: 'pm_test_slow_1800' };
    const early = await system.pay(api, key, body, { headers: { prefer: 'wait=1' } });
    expect(early.status, early.text).toBe(202);
    api.kill('SIGTERM');
    expect(await api.exit).toEqual({ code: 0, signal: null });
    const books = await readBooks(system, key);
    expect(disagreements(books, [early])).toEqual([]);
    expect(books.attempts.map(({ actor }) => actor)).toEqual(['request']);
  });
});
