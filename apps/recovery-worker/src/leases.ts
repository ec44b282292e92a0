import { checkAllLeases, sweepLeases } from '#payments/sweep-leases.js';
import { newWatch, takeOrphans } from '#payments/take-orphans.js';
import type { Core } from '#platform/core.js';
import type { SweepPlan } from './sweep.js';

const PAUSE_MS = 500;

/** Resumes every key whose lease has ended. Silent when there is nothing; loud when an owner had died. */
export function leaseSweep({ deps, log }: Core): SweepPlan {
  return {
    name: 'leases',
    pauseMs: PAUSE_MS,
    runOnce: async () => {
      const requestId = `wrk_${deps.random.uuid()}`;
      const pass = await sweepLeases(deps, requestId);
      if (pass.found > 0)
        log.warning('sweep_found_abandoned', { request_id: requestId, keys: pass.found });
      const worked = Object.keys(pass.finished).length > 0;
      if (worked) log.info('sweep_finished', { request_id: requestId, by_status: pass.finished });
      return pass.more ? 'more' : 'done';
    },
  };
}

/** A look at the locks costs a fraction of a millisecond, and two of these pauses are part of every takeover. */
const ORPHAN_PAUSE_MS = 250;

/** Takes over early what a process that died has left, and says so: somebody should know that it died. */
export function orphanSweep({ deps, log }: Core): SweepPlan {
  const watch = newWatch();
  return {
    name: 'orphans',
    pauseMs: ORPHAN_PAUSE_MS,
    runOnce: async () => {
      const requestId = `wrk_${deps.random.uuid()}`;
      const { taken, more } = await takeOrphans(deps, watch, requestId);
      if (taken > 0) log.warning('owner_presumed_dead', { request_id: requestId, taken });
      return more ? 'more' : 'done';
    },
  };
}

const DAILY_PAUSE_MS = 60_000;

/** Walks over all claims once a day, and says so if the walk above had passed anything by. */
export function dailyLeaseCheck({ deps, log }: Core): SweepPlan {
  return {
    name: 'leases_daily',
    pauseMs: DAILY_PAUSE_MS,
    runOnce: async () => {
      const { found, more } = await checkAllLeases(deps);
      if (found > 0) log.critical('lease_sweep_had_lost', { keys: found });
      return more ? 'more' : 'done';
    },
  };
}
