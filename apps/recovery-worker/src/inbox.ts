import { fetchMissedEvents } from '#payments/fetch-events.js';
import { readInboxLag, sweepInbox } from '#payments/sweep-inbox.js';
import type { Core } from '#platform/core.js';
import type { SweepPlan } from './sweep.js';

const PAUSE_MS = 500;

/** Applies the news in the inbox. */
export function inboxSweep({ deps, log }: Core): SweepPlan {
  return {
    name: 'inbox',
    pauseMs: PAUSE_MS,
    runOnce: async () => {
      const requestId = `wrk_${deps.random.uuid()}`;
      const { ended, more } = await sweepInbox(deps, requestId);
      if (Object.keys(ended).length > 0)
        log.info('inbox_swept', { request_id: requestId, by_end: ended });
      return more ? 'more' : 'done';
    },
  };
}

const LAG_PAUSE_MS = 15_000;
const LAG_SECONDS_MAX = 60;

/** Says how far applying is behind receiving, once somebody should know. */
export function inboxLagCheck({ deps, log }: Core): SweepPlan {
  return {
    name: 'inbox_lag',
    pauseMs: LAG_PAUSE_MS,
    runOnce: async () => {
      const { events, seconds } = await readInboxLag(deps);
      if (seconds > LAG_SECONDS_MAX) log.warning('inbox_lag', { events, seconds });
      return 'done';
    },
  };
}

const FETCH_PAUSE_MS = 5_000;

/** Fetches what the processor did not deliver, and says so: somebody should know that it did not. */
export function missedEventSweep({ deps, log }: Core): SweepPlan {
  return {
    name: 'missed_events',
    pauseMs: FETCH_PAUSE_MS,
    runOnce: async () => {
      const { read, missed, more } = await fetchMissedEvents(deps);
      if (missed > 0) log.warning('sweep_found_missed_events', { read, missed });
      return more ? 'more' : 'done';
    },
  };
}
