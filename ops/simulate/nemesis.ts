import type { Cluster } from './cluster.js';
import { CRASH_ENDS } from './database.js';
import type { Scheduler } from './scheduler.js';
import type { Service } from './service.js';

export const NEMESIS = 'nemesis';
const CRASHES_MAX = 3;
const JUMPS = ['1 s', '6 s', '31 s', '10 min', '13 h'] as const;
const JUMP_MS: Record<(typeof JUMPS)[number], number> = {
  '1 s': 1_000,
  '6 s': 6_000,
  '31 s': 31_000,
  '10 min': 600_000,
  '13 h': 46_800_000,
};
const JUMPS_MAX = 4;
/** When somebody puts right what has happened, at the latest: time does not pass it by for long. */
const OUTAGE_MS = 8_000;
const RESTART_MS = 3_000;

/** All that can befall a process or time itself, each a step that may be chosen and need not. */
export function startNemesis(cluster: Cluster): void {
  const { scheduler } = cluster.ground;
  for (const service of [...cluster.apis, ...cluster.workers]) threaten(cluster, service);
  scheduler.spawn('time', NEMESIS, async (task) => {
    for (let jumps = 0; jumps < JUMPS_MAX; jumps += 1) {
      const end = await scheduler.stand(task, 'jumps', JUMPS, { optional: true });
      const ms = JUMP_MS[end as (typeof JUMPS)[number]];
      const { nowMs, latestMs } = scheduler;
      const untilMs = Math.max(nowMs, Math.min(nowMs + ms, latestMs));
      await scheduler.perform(task, null, () => scheduler.moveTime(untilMs));
    }
  });
}

function threaten(cluster: Cluster, service: Service): void {
  const { scheduler } = cluster.ground;
  scheduler.spawn(`fate of ${service.name}`, NEMESIS, async (task) => {
    const end = await scheduler.stand(task, 'crashes', CRASH_ENDS, { optional: true });
    if (cluster.crashes >= CRASHES_MAX) return;
    await scheduler.perform(task, null, () =>
      cluster.crash(service, end as (typeof CRASH_ENDS)[number]),
    );
    await scheduler.stand(task, 'starts again', ['ok'], { dueMs: scheduler.nowMs + RESTART_MS });
    const next = await scheduler.perform(task, null, () =>
      service.name.startsWith('api') ? cluster.startApi() : cluster.startWorker(),
    );
    threaten(cluster, next);
  });
  outage(scheduler, `line of ${service.name}`, 'loses the database', {
    begin: () => Promise.resolve(void cluster.ground.database.cutOff.add(service.name)),
    end: () => Promise.resolve(void cluster.ground.database.cutOff.delete(service.name)),
  });
  outage(scheduler, `lock of ${service.name}`, 'loses its registration', {
    begin: () => cluster.loseRegistration(service),
    end: () => cluster.registerAgain(service),
  });
}

function outage(
  scheduler: Scheduler,
  name: string,
  what: string,
  { begin, end }: { begin: () => Promise<void>; end: () => Promise<void> },
): void {
  scheduler.spawn(name, NEMESIS, async (task) => {
    await scheduler.stand(task, what, ['ok'], { optional: true });
    await scheduler.perform(task, null, begin);
    await scheduler.stand(task, 'is back', ['ok'], { dueMs: scheduler.nowMs + OUTAGE_MS });
    await scheduler.perform(task, null, end);
  });
}
