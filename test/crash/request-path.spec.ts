import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { IS_LONG } from '#testing/is-long.js';
import { slowestRunMs } from '#payments/lease-arithmetic.js';
import type { FailpointName } from '#seams/failpoints.js';
import { KEYED_REQUESTS, type Lay } from '#testing/keyed-requests.js';
import { type Crash, PAST_SWEEP_MS, expectFinishedByOthers } from '#testing/kill-and-finish.js';
import { ProcessSystem, type Seen } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';

/** What a crash at each failpoint leaves. The first passage of `c5` and `c6` asks for our account. */

type RequestPoint = Extract<FailpointName, `c${number}`>;
const LEFT: Record<RequestPoint, Omit<Crash, 'name'>[]> = {
  c1: [{ hit: 2, left: ['unseen'], moved: 0 }],
  c2: [{ hit: 2, left: ['unseen', 'held'], moved: 0 }],
  c3: [{ hit: 2, left: ['held'], moved: 0 }],
  c5: [
    { hit: 1, left: ['unseen'], moved: 0 },
    { hit: 3, left: ['held'], moved: 1 },
  ],
  c6: [
    { hit: 1, left: ['unseen'], moved: 0 },
    { hit: 3, left: ['held'], moved: 1 },
  ],
  c7: [{ hit: 2, left: ['held'], moved: 1 }],
  c12: [{ hit: 2, left: ['held', 'finished'], moved: 1 }],
  c13: [{ hit: 2, left: ['finished'], moved: 1 }],
  c14: [{ hit: 2, left: ['finished'], moved: 1 }],
};
const POINTS = Object.keys(LEFT) as RequestPoint[];
const ALL = POINTS.flatMap((name) => LEFT[name].map((left) => ({ name, ...left })));
/** One kill in each step of a request; `npm test -- --long` goes through all of them. */
const CRASHES = IS_LONG ? ALL : ALL.filter(({ name, hit }) => hit > 1 && /^c(2|6|13)$/.test(name));
const CRASH_TEST_MS = 180_000;

/** The first passage of c5 and c6 asks for our account, which one request does for all. */
function requestsAt({ hit }: Crash): Lay[] {
  return hit === 1 ? [KEYED_REQUESTS.charge] : Object.values(KEYED_REQUESTS);
}

describe('a process of the request path', () => {
  const victims = new Processes();
  let system: ProcessSystem;
  /** Another replica of the API, to which clients turn. */
  let next: ServiceProcess;
  let worker: ServiceProcess;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    next = await system.api(system.lasting);
    worker = await system.worker(system.lasting);
  });
  afterEach(async () => {
    worker.kill('SIGCONT');
    await victims.endAll();
  });
  afterAll(() => system?.close());

  const pay = (to: ServiceProcess, key: string) => system.pay(to, key, { order_id: key });
  const whatDiffers = async (key: string, heard: Seen[]) =>
    disagreements(await readBooks(system, key), heard);
  const untilSucceeded = (key: string) => {
    const path = `/v1/payments?idempotency_key=${key}`;
    const status = async () => JSON.parse((await system.get(next, path)).text).data[0]?.status;
    return expect.poll(status, { timeout: 20_000 }).toBe('succeeded');
  };

  it.each(CRASHES)(
    'killed at $name, hit $hit: a retry alone, and the worker alone, finish every kind of request once',
    async (crash) => {
      await expectFinishedByOthers({ system, victims, next, worker }, crash, requestsAt(crash));
    },
    CRASH_TEST_MS,
  );

  it.each(IS_LONG ? ['c5:2', 'c6:2'] : ['c6:2'])(
    'stopped at %s past its lease and woken: it changes nothing and answers the saved bytes',
    async (point) => {
      const timeoutMs = 20_000; // its deadline must not end while it is stopped
      const leaseMs = slowestRunMs(timeoutMs) + 1;
      const victim = await system.api(victims, `${point}:stop`, {
        PROCESSOR_TIMEOUT_MS: String(timeoutMs),
        LEASE_MS: String(leaseMs),
      });
      const key = randomUUID();
      const slow = pay(victim, key);
      await victim.untilStopped();
      await system.advance(leaseMs + PAST_SWEEP_MS);
      await untilSucceeded(key);
      const settled = await readBooks(system, key);
      victim.kill('SIGCONT');
      const late = await slow;
      expect(late.status, late.text).toBe(201);
      const books = await readBooks(system, key);
      expect(books).toEqual(settled);
      expect(disagreements(books, [late, await pay(next, key)])).toEqual([]);
      expect(books.attempts.map(({ actor }) => actor)).toEqual(['request', 'worker']);
    },
  );

  it('that meets errors at c5, c6 and c7 answers 202 and lives on; the worker finishes', async () => {
    const victim = await system.api(victims, 'c5:2:throw,c6:2:throw,c7:1:throw');
    for (const key of [randomUUID(), randomUUID(), randomUUID()]) {
      const first = await pay(victim, key);
      expect(first.status, first.text).toBe(202);
      await system.advance(PAST_SWEEP_MS);
      await untilSucceeded(key);
      const last = await pay(victim, key);
      expect(last.status, last.text).toBe(201);
      expect(await whatDiffers(key, [first, last])).toEqual([]);
    }
  });

  it.each(IS_LONG ? ['c5:2', 'c6:2', 'c13:1'] : ['c5:2'])(
    'told to end at %s answers what it has begun, and exits with 0',
    async (point) => {
      const key = randomUUID();
      const victim = await system.api(victims, `${point}:term`);
      const first = await pay(victim, key);
      expect({ status: first.status, whole: first.whole }).toEqual({ status: 201, whole: true });
      expect(await victim.exit).toEqual({ code: 0, signal: null });
      expect(await whatDiffers(key, [first, await pay(next, key)])).toEqual([]);
    },
  );
});
