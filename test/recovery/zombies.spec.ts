import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { INSTANCE_LOCKS } from '#postgres/instance.js';
import { slowestRunMs } from '#payments/lease-arithmetic.js';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

/** Its deadline must not end while it is stopped, also on a machine that is busy. */
const PROCESSOR_TIMEOUT_MS = 60_000;
const ENV = {
  PROCESSOR_TIMEOUT_MS: String(PROCESSOR_TIMEOUT_MS),
  LEASE_MS: String(slowestRunMs(PROCESSOR_TIMEOUT_MS) + 1),
};

/** What a zombie would say whose record step was stopped by the last guard, and not by its lost lease. */
const ALARMS = ['record_refused', 'late_outcome_differs'];

describe('an owner that was taken for dead while it lives', { timeout: 180_000 }, () => {
  const processes = new Processes();
  let system: ProcessSystem;
  beforeAll(async () => void (system = await ProcessSystem.start()));
  afterEach(() => processes.endAll());
  afterAll(() => system.close());

  const books = (key: string) => readBooks(system, key);
  const untilSucceeded = (key: string) =>
    until(async () => (await books(key)).payment?.status === 'succeeded');

  it.each(['c5:2', 'c6:2'])(
    'stopped at %s and woken later: it changes nothing and answers the saved bytes',
    async (point) => {
      const { zombie, key, slow } = await stopOwnerAt(point);
      await system.worker(processes);
      await endSessionOf(zombie);
      await untilSucceeded(key); // its lease is far from over
      const settled = await books(key);
      zombie.kill('SIGCONT');
      const late = await slow;
      expect(late.status, late.text).toBe(201);
      expect(await books(key)).toEqual(settled);
      expect(disagreements(settled, [late])).toEqual([]);
      expect(settled.attempts.map(({ actor }) => actor)).toEqual(['request', 'worker']);
      const said = zombie.logLines.map(({ event }) => event);
      for (const alarm of ALARMS) expect(said).not.toContain(alarm);
    },
  );

  it.each(['c5:2', 'c6:2'])(
    'stopped at %s and woken while another works on it: it changes nothing and answers 202',
    async (point) => {
      const { zombie, key, slow } = await stopOwnerAt(point);
      const worker = await system.worker(processes, 'c6:2:stop', ENV);
      await endSessionOf(zombie);
      await worker.untilStopped();
      const taken = await books(key);
      zombie.kill('SIGCONT');
      const late = await slow;
      expect(late.status, late.text).toBe(202);
      expect(await books(key)).toEqual(taken);
      worker.kill('SIGCONT');
      await untilSucceeded(key);
      const again = await system.pay(zombie, key);
      expect(disagreements(await books(key), [late, again])).toEqual([]);
    },
  );

  it('stopped with its session alive: it is not taken over before its lease ends', async () => {
    const { zombie, key, slow } = await stopOwnerAt('c5:2');
    const worker = await system.worker(processes);
    // Another one dies, is taken over, and so shows that the worker has looked meanwhile.
    const other = await stopOwnerAt('c5:2');
    other.zombie.kill('SIGKILL');
    await untilSucceeded(other.key);
    expect((await books(key)).attempts.map(({ actor }) => actor)).toEqual(['request']);
    worker.kill('SIGTERM');
    zombie.kill('SIGCONT');
    const late = await slow;
    expect(late.status, late.text).toBe(201);
    expect(disagreements(await books(key), [late])).toEqual([]);
  });

  async function stopOwnerAt(point: string) {
    const zombie = await system.api(processes, `${point}:stop`, ENV);
    const key = randomUUID();
    const slow = system.pay(zombie, key);
    await zombie.untilStopped();
    return { zombie, key, slow };
  }

  /** Its registration is gone, and a stopped process cannot register again. */
  async function endSessionOf(service: ServiceProcess): Promise<void> {
    const { instance } = await service.untilSays('instance_registered');
    const { rows } = await system.owner.query(
      `SELECT pg_terminate_backend(pid) AS ended FROM pg_locks
        WHERE locktype = 'advisory' AND classid = $1 AND objid = $2`,
      [INSTANCE_LOCKS, instance],
    );
    expect(rows).toEqual([{ ended: true }]);
  }
});
