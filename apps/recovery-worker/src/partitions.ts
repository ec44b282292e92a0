import {
  PARTITION_DAYS_AHEAD,
  type Session,
  daysAhead,
  dropPartitions,
  makePartitions,
} from '#postgres/daily-partitions.js';
import { withSession } from '#postgres/session.js';
import type { Core } from '#platform/core.js';
import type { SweepPlan } from './sweep.js';

const PAUSE_MS = 10 * 60_000;
/** DETACH CONCURRENTLY waits for transactions that use the table; none of ours is longer. */
const STATEMENT_MS = 60_000;

/**
 * Keeps partitions of saved answers ahead of the days, and drops those whose answers are no longer kept:
 * a day goes when even an answer of its last instant is older than the promise. Neither stops a claim.
 */
export function partitionSweep(core: Core, url: string): SweepPlan {
  return {
    name: 'partitions',
    pauseMs: PAUSE_MS,
    runOnce: async () => {
      const options = {
        url,
        applicationName: 'recovery-worker partitions',
        statementMs: STATEMENT_MS,
      };
      await withSession(options, (session) => keepPartitions(core, session));
      return 'done';
    },
  };
}

async function keepPartitions({ config, log }: Core, session: Session): Promise<void> {
  const made = await makePartitions(
    session,
    'saved_answers',
    await daysAhead(session, 0, PARTITION_DAYS_AHEAD),
  );
  const [firstKept] = await daysAhead(session, -config.answersDays - 1, -config.answersDays - 1);
  const dropped =
    firstKept === undefined ? [] : await dropPartitions(session, 'saved_answers', firstKept);
  if (made.length > 0) log.info('partitions_made', { days: made });
  if (dropped.length > 0) log.info('partitions_dropped', { partitions: dropped });
}
