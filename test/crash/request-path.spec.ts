import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { slowestRunMs } from '#payments/lease-arithmetic.js';
import { SESSION_LIMITS } from '#postgres/pool.js';
import { FAILPOINT_NAMES, type FailpointName } from '#seams/failpoints.js';
import { LEASE_MS, ProcessSystem, type Seen } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';

/** The sweep's mark trails by a lease, the longest statement and a margin. */
const PAST_SWEEP_MS = LEASE_MS + SESSION_LIMITS.statementMs + 2_000;

/** How a retry finds the key after a crash: unseen, held by the dead process, or finished. */
type Left = 'unseen' | 'held' | 'finished';

/** What a crash at each failpoint leaves. The first passage of `c5` and `c6` asks for our account. */
const LEFT: Record<FailpointName, { hit: number; left: Left[]; charges: number }[]> = {
  c1: [{ hit: 2, left: ['unseen'], charges: 0 }],
  c2: [{ hit: 2, left: ['unseen', 'held'], charges: 0 }],
  c3: [{ hit: 2, left: ['held'], charges: 0 }],
  c5: [
    { hit: 1, left: ['unseen'], charges: 0 },
    { hit: 3, left: ['held'], charges: 1 },
  ],
  c6: [
    { hit: 1, left: ['unseen'], charges: 0 },
    { hit: 3, left: ['held'], charges: 1 },
  ],
  c7: [{ hit: 2, left: ['held'], charges: 1 }],
  c12: [{ hit: 2, left: ['held', 'finished'], charges: 1 }],
  c13: [{ hit: 2, left: ['finished'], charges: 1 }],
  c14: [{ hit: 2, left: ['finished'], charges: 1 }],
};
const CRASHES = FAILPOINT_NAMES.flatMap((name) => LEFT[name].map((left) => ({ name, ...left })));
const LONGER_THAN_ANY_TEST_MS = 600_000;

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
  const chargesOf = async (key: string) => (await readBooks(system, key)).charges.length;
  const whatDiffers = async (key: string, heard: Seen[]) =>
    disagreements(await readBooks(system, key), heard);
  const untilSucceeded = (key: string) => {
    const path = `/v1/payments?idempotency_key=${key}`;
    const status = async () => JSON.parse((await system.get(next, path)).text).data[0]?.status;
    return expect.poll(status, { timeout: 20_000 }).toBe('succeeded');
  };

  /** A process that dies with two requests at one step: one waits there, the other brings the kill. */
  async function crash(name: FailpointName, hit: number, keys: readonly string[]) {
    const failpoints = `${name}:${hit}:delay=${LONGER_THAN_ANY_TEST_MS},${name}:${hit + 1}:kill`;
    const victim = await system.api(victims, failpoints);
    if (hit > 1) expect((await pay(victim, randomUUID())).status).toBe(201);
    const heard = await Promise.all(keys.map((key) => pay(victim, key)));
    expect(await victim.exit).toEqual({ code: null, signal: 'SIGKILL' });
    for (const { whole } of heard) expect(whole).toBe(false);
    return heard;
  }

  it.each(CRASHES)(
    'killed at $name, hit $hit: a retry alone, and the worker alone, make it one charge',
    async ({ name, hit, left, charges }) => {
      worker.kill('SIGSTOP');
      const retried = randomUUID();
      const recovered = randomUUID();
      const [cut, alsoCut] = await crash(name, hit, [retried, recovered]);
      await expect.poll(() => chargesOf(retried)).toBe(charges);
      await expect.poll(() => chargesOf(recovered)).toBe(charges);

      const first = await pay(next, retried);
      expect(left).toContain(leftBy(first));
      await system.advance(LEASE_MS);
      const last = await pay(next, retried);
      expect(last.status, last.text).toBe(201);
      expect(await whatDiffers(retried, [cut!, first, last])).toEqual([]);

      worker.kill('SIGCONT');
      const { key } = await readBooks(system, recovered);
      expect(key !== null || left.includes('unseen')).toBe(true);
      if (key !== null) {
        await system.advance(PAST_SWEEP_MS);
        await untilSucceeded(recovered);
      }
      const answer = await pay(next, recovered);
      expect(answer.status, answer.text).toBe(201);
      expect(answer.headers['idempotent-replayed']).toBe(key === null ? undefined : 'true');
      expect(await whatDiffers(recovered, [alsoCut!, answer])).toEqual([]);
    },
  );

  it.each(['c5:2', 'c6:2'])(
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

  it.each(['c5:2', 'c6:2', 'c13:1'])(
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

function leftBy(retried: Seen): Left {
  if (retried.status === 409) return 'held';
  return retried.headers['idempotent-replayed'] === 'true' ? 'finished' : 'unseen';
}
