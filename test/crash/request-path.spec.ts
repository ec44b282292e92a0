import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_LIMITS } from '#postgres/pool.js';
import { FAILPOINT_NAMES, type FailpointName } from '#seams/failpoints.js';
import { LEASE_MS, ProcessSystem, type Seen } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';

/** The sweep's mark trails by a lease, the longest statement and a margin. */
const PAST_SWEEP_MS = LEASE_MS + SESSION_LIMITS.statementMs + 2_000;

/** How a retry finds the key after a crash: unseen, held by the dead process, or finished. */
type Left = 'unseen' | 'held' | 'finished';

/** What a crash at each failpoint leaves. `c5` and `c6` are first passed when our account is asked for. */
const LEFT: Record<FailpointName, { hit: number; left: Left[]; charges: number }[]> = {
  c1: [{ hit: 1, left: ['unseen'], charges: 0 }],
  c2: [{ hit: 1, left: ['unseen', 'held'], charges: 0 }],
  c3: [{ hit: 1, left: ['held'], charges: 0 }],
  c5: [
    { hit: 1, left: ['unseen'], charges: 0 },
    { hit: 2, left: ['held'], charges: 1 },
  ],
  c6: [
    { hit: 1, left: ['unseen'], charges: 0 },
    { hit: 2, left: ['held'], charges: 1 },
  ],
  c7: [{ hit: 1, left: ['held'], charges: 1 }],
  c12: [{ hit: 1, left: ['held', 'finished'], charges: 1 }],
  c13: [{ hit: 1, left: ['finished'], charges: 1 }],
  c14: [{ hit: 1, left: ['finished'], charges: 1 }],
};
const CRASHES = FAILPOINT_NAMES.flatMap((name) => LEFT[name].map((left) => ({ name, ...left })));

describe('a process of the request path', () => {
  const victims = new Processes();
  let system: ProcessSystem;
  /** Another replica of the API, to which clients turn. */
  let next: ServiceProcess;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    next = await system.api(system.lasting);
  });
  afterEach(() => victims.endAll());
  afterAll(() => system?.close());

  /** A first request that meets the failpoint, in a process of its own. */
  async function crash(failpoints: string, key: string): Promise<Seen> {
    const victim = await system.api(victims, failpoints);
    const seen = await system.pay(victim, key, { order_id: key });
    expect(await victim.exit).toEqual({ code: null, signal: 'SIGKILL' });
    expect(seen.whole).toBe(false);
    return seen;
  }

  const chargesOf = async (key: string) => (await readBooks(system, key)).charges.length;
  const retry = (key: string) => system.pay(next, key, { order_id: key });

  it.each(CRASHES)(
    'killed at $name, hit $hit: the retry alone makes it one charge',
    async ({ name, hit, left, charges }) => {
      const key = randomUUID();
      const heard = [await crash(`${name}:${hit}:kill`, key)];
      await expect.poll(() => chargesOf(key)).toBe(charges);
      const first = await retry(key);
      heard.push(first);
      expect(left).toContain(leftBy(first));
      if (first.status === 409) await system.advance(LEASE_MS);
      const last = await retry(key);
      heard.push(last);
      expect(last.status, last.text).toBe(201);
      expect(disagreements(await readBooks(system, key), heard)).toEqual([]);
    },
  );

  describe('with a recovery worker', () => {
    beforeAll(async () => void (await system.worker(system.lasting)));

    /** The payment of a key as GET shows it; undefined where there is none. */
    const find = async (key: string): Promise<{ status: string } | undefined> => {
      const seen = await system.get(next, `/v1/payments?idempotency_key=${key}`);
      return JSON.parse(seen.text).data[0];
    };
    const untilSucceeded = (key: string) =>
      expect.poll(async () => (await find(key))?.status, { timeout: 15_000 }).toBe('succeeded');

    it.each(CRASHES)(
      'killed at $name, hit $hit: the worker finishes what was begun',
      async ({ name, hit, left, charges }) => {
        const key = randomUUID();
        const heard = [await crash(`${name}:${hit}:kill`, key)];
        await expect.poll(() => chargesOf(key)).toBe(charges);
        const begun = await find(key);
        expect(begun !== undefined || left.includes('unseen')).toBe(true);
        if (begun) {
          await system.advance(PAST_SWEEP_MS);
          await untilSucceeded(key);
        }
        const last = await retry(key);
        heard.push(last);
        expect(last.status, last.text).toBe(201);
        expect(last.headers['idempotent-replayed']).toBe(begun ? 'true' : undefined);
        expect(disagreements(await readBooks(system, key), heard)).toEqual([]);
      },
    );

    it.each(['c5:2', 'c6:2'])(
      'stopped at %s past its lease and woken: it changes nothing and answers the saved bytes',
      async (point) => {
        const timeoutMs = 20_000;
        const leaseMs = LEASE_MS + timeoutMs;
        const victim = await system.api(victims, `${point}:stop`, {
          PROCESSOR_TIMEOUT_MS: String(timeoutMs),
          LEASE_MS: String(leaseMs),
        });
        const key = randomUUID();
        const slow = system.pay(victim, key, { order_id: key });
        await victim.untilStopped();
        await system.advance(PAST_SWEEP_MS + timeoutMs);
        await untilSucceeded(key);
        const settled = await readBooks(system, key);
        victim.kill('SIGCONT');
        const late = await slow;
        expect(late.status, late.text).toBe(201);
        const books = await readBooks(system, key);
        expect(books).toEqual(settled);
        expect(disagreements(books, [late, await retry(key)])).toEqual([]);
        expect(books.attempts.map(({ actor }) => actor)).toEqual(['request', 'worker']);
      },
    );

    it.each(['c5:2', 'c6:2'])(
      'that meets an error at %s answers 500 and lives on; the worker finishes',
      async (point) => {
        const key = randomUUID();
        const victim = await system.api(victims, `${point}:throw`);
        const first = await system.pay(victim, key, { order_id: key });
        expect(first.status, first.text).toBe(500);
        await system.advance(PAST_SWEEP_MS);
        await untilSucceeded(key);
        const last = await system.pay(victim, key, { order_id: key });
        expect(last.status, last.text).toBe(201);
        expect(disagreements(await readBooks(system, key), [first, last])).toEqual([]);
      },
    );

    it.each(['c1:1', 'c3:1', 'c5:2', 'c6:2', 'c7:1', 'c13:1'])(
      'told to end at %s answers what it has begun, and exits with 0',
      async (point) => {
        const key = randomUUID();
        const victim = await system.api(victims, `${point}:term`);
        const first = await system.pay(victim, key, { order_id: key });
        expect({ status: first.status, whole: first.whole }).toEqual({ status: 201, whole: true });
        expect(await victim.exit).toEqual({ code: 0, signal: null });
        expect(disagreements(await readBooks(system, key), [first, await retry(key)])).toEqual([]);
      },
    );
  });
});

function leftBy(retried: Seen): Left {
  if (retried.status === 409) return 'held';
  return retried.headers['idempotent-replayed'] === 'true' ? 'finished' : 'unseen';
}
