import { violatedConstraint } from '#postgres/errors.js';
import { SESSION_LIMITS } from '#postgres/pool.js';
import { failpoint } from '#seams/failpoints.js';
import type { Deps } from './deps.js';
import {
  ADVANCE_MARK,
  FORGET_FINISHED,
  LOOK_AGAIN_SOON,
  RESTART_DAILY_WALK,
  TAKE_DUE,
} from './sweep.sql.js';
import { finishOperation } from './take-payment.js';
import { takeUp } from './take-up.js';

/** Keys that one pass walks over, and items that one pass works on. */
const WALK_MAX = 5_000;
const BATCH_MAX = 20;
/**
 * A picked item is its worker's until it takes it up, which moves the due time on to the end of its lease. One
 * that was picked by a worker that died before that is due again after what a statement may take at most.
 */
const PICKED_MS = SESSION_LIMITS.connectMs + SESSION_LIMITS.queryMs;
/** The mark stays behind a running claim by its lease, its statement, and what two clocks may differ. */
const MARK_MARGIN_MS = 1_000;
/** The daily walk stays far enough behind the other one to find only what that one has lost. */
const DAILY_TRAIL_MS = 3_600_000;

export type SweepPass = {
  /** Keys walked over, and among them those that nobody had finished. */
  passed: number;
  found: number;
  /** The pass ended at a bound: there is more to do now. */
  more: boolean;
  /** Items taken up and what became of them, by the status a caller would get. */
  finished: Record<number, number>;
};

/**
 * One pass of the lease sweep: passes the mark over what is old enough, then finishes a bounded batch of
 * due items through the very function that requests use.
 *
 * @keeps P2: an intent whose owner died is resumed from its recovery point.
 */
export async function sweepLeases(deps: Deps, requestId: string): Promise<SweepPass> {
  const { passed, found } = await walk(deps, 'leases', 0);
  const due = await deps.db.run(TAKE_DUE, [PICKED_MS, BATCH_MAX]);
  const finished: Record<number, number> = {};
  await Promise.all(
    due.map(async (item) => {
      const status = await finishDue(deps, item, requestId);
      if (status !== null) finished[status] = (finished[status] ?? 0) + 1;
    }),
  );
  return { passed, found, more: passed >= WALK_MAX || due.length >= BATCH_MAX, finished };
}

/**
 * One pass of the daily walk over all claims: what it finds, the other walk had lost.
 * Returns the number found, and whether the walk goes on.
 */
export async function checkAllLeases(deps: Deps): Promise<{ found: number; more: boolean }> {
  await deps.db.run(RESTART_DAILY_WALK, []);
  const { passed, found } = await walk(deps, 'leases_daily', DAILY_TRAIL_MS);
  return { found, more: passed >= WALK_MAX };
}

async function walk(
  { db, terms }: Deps,
  name: string,
  behindMs: number,
): Promise<{ passed: number; found: number }> {
  const trailMs = terms.leaseMs + SESSION_LIMITS.statementMs + MARK_MARGIN_MS + behindMs;
  const [row] = await db.run(ADVANCE_MARK, [trailMs, WALK_MAX, name]);
  return row ?? { passed: 0, found: 0 };
}

type Due = {
  account_id: string;
  key_hash: Buffer;
  state: 'started' | 'released' | 'queued' | 'finished' | 'canceled';
  ended: boolean;
};

/** Released work is only closed, at its key's end: its caller may have turned to another way of paying. */
async function finishDue(deps: Deps, due: Due, requestId: string): Promise<number | null> {
  if (due.state === 'finished' || due.state === 'canceled') {
    // Its last step overtook the walk that noted it.
    await deps.db.run(FORGET_FINISHED, [due.account_id, due.key_hash]);
    return null;
  }
  if (due.state === 'released' && !due.ended) return null;
  try {
    await failpoint('x1');
    const lease = await takeUp(deps, {
      accountId: due.account_id,
      keyHash: due.key_hash,
      state: due.state,
      ended: due.ended,
      orderOnce: false, // the slot of released work is not taken to close it
      actor: 'worker',
      requestId,
    });
    if (lease === null) {
      await deps.db.run(LOOK_AGAIN_SOON, [due.account_id, due.key_hash]);
      return null;
    }
    await failpoint('x2');
    return (await finishOperation(deps, lease)).status;
  } catch (error) {
    deps.log.warning('sweep_item_failed', {
      error: String(error),
      constraint: violatedConstraint(error),
    });
    return null; // it comes due again
  }
}
