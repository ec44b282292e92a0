import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepLeases } from '#payments/sweep-leases.js';
import { newWatch, takeOrphans } from '#payments/take-orphans.js';
import { readConfig } from '#platform/config.js';
import { type Core, openCore } from '#platform/core.js';
import { openLogger } from '#platform/logging.js';
import { type Clock, systemClock } from '#seams/clock.js';
import { KEYED_REQUESTS } from '#testing/keyed-requests.js';
import { PAST_SWEEP_MS } from '#testing/kill-and-finish.js';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { until } from '#testing/until.js';

const TEN_MINUTES_MS = 600_000;

describe.each([
  { where: 'ten minutes ahead', offMs: TEN_MINUTES_MS },
  { where: 'ten minutes behind', offMs: -TEN_MINUTES_MS },
])('a worker whose clock is $where', ({ offMs }) => {
  const victims = new Processes();
  let system: ProcessSystem;
  let api: ServiceProcess;
  let core: Core;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    api = await system.api(system.lasting);
    core = await coreBy(shifted(offMs));
  });
  afterAll(async () => {
    await victims.endAll();
    await core?.close();
    await system?.close();
  });

  it('takes no lease before its end by the database’s clock, and each of them after it', async () => {
    const stopped = await system.api(victims, 'c3:1:stop');
    const request = await KEYED_REQUESTS.charge(system);
    const first = system.post(stopped, request);
    await stopped.untilStopped();
    const watch = newWatch();
    for (let pass = 0; pass < 3; pass++) {
      expect((await sweepLeases(core.deps, 'wrk_early')).finished).toEqual({});
      expect((await takeOrphans(core.deps, watch, 'wrk_early')).taken).toBe(0);
    }
    expect(await request.moved()).toBe(0);

    await system.advance(PAST_SWEEP_MS);
    await until(async () => {
      await sweepLeases(core.deps, `wrk_${randomUUID()}`);
      return (await request.moved()) === 1;
    });
    stopped.kill('SIGCONT');
    const heard = [await first, await system.post(api, request)];
    expect(await request.differences(heard)).toEqual([]);
  });

  async function coreBy(clock: Clock): Promise<Core> {
    const config = readConfig({
      APP_DATABASE_URL: system.database.appUrl,
      STRIPE_API_BASE: system.mockClient.url,
    });
    const log = openLogger('skewed', 'critical', { write: () => {} });
    return openCore(config, log, { service: 'skewed', clock });
  }
});

/** Both of the process's clocks are off, from the beginning. */
function shifted(offMs: number): Clock {
  return {
    ...systemClock,
    wallMs: () => systemClock.wallMs() + offMs,
    monotonicMs: () => systemClock.monotonicMs() + offMs,
  };
}
