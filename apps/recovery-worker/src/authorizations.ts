import { sweepAuthorizations } from '#payments/sweep-authorizations.js';
import type { Core } from '#platform/core.js';
import type { SweepPlan } from './sweep.js';

const PAUSE_MS = 5_000;

/** Voids authorizations that have expired. Silent when there is nothing. */
export function authorizationSweep({ deps, log }: Core): SweepPlan {
  return {
    name: 'authorizations',
    pauseMs: PAUSE_MS,
    runOnce: async () => {
      const requestId = `wrk_${deps.random.uuid()}`;
      const { voided, more } = await sweepAuthorizations(deps, requestId);
      if (voided > 0) log.info('authorizations_expired', { request_id: requestId, voided });
      return more ? 'more' : 'done';
    },
  };
}
