import { failpoint } from '#seams/failpoints.js';
import type { Deps } from './deps.js';
import { FIND_LIVE_OWNERS, FIND_ORPHANS } from './orphans.sql.js';
import { finishOperation } from './take-payment.js';
import { takeUp } from './take-up.js';

/** As much as a busy process has in flight: a second batch would wait for the calls of the first. */
const BATCH_MAX = 100;
/**
 * How long an owner must be missing before its work is taken: a restart of the database drops the locks of
 * all, and each registers again within a second. The random part keeps workers from rushing in together.
 */
const GRACE_MS = 1_000;
const GRACE_JITTER_MS = 500;
const READ_AFTER_DEATH_MS = 15_000;

/** What one worker remembers between passes. */
export type Watch = {
  /** Owners that were alive at the last pass; null before the first one. */
  alive: Set<number> | null;
  /** Leases are read until then: a claim of the one that died may still be on its way into the tables. */
  readUntilMs: number;
  /** Owners that are missed while they hold leases, and until when each is waited for. */
  missing: Map<number, number>;
};

export const newWatch = (): Watch => ({
  alive: null,
  readUntilMs: 0,
  missing: new Map(),
});

export type OrphanPass = { taken: number; more: boolean };

/**
 * One pass of the early takeover: finishes what an owner that is presumed dead has left, without waiting
 * for its leases. Presumed is the word: it may have sent, and may even live, so whoever takes over charges
 * under the same processor key, as after any lease.
 *
 * @keeps P2
 */
export async function takeOrphans(
  deps: Deps,
  watch: Watch,
  requestId: string,
): Promise<OrphanPass> {
  if (!(await somebodyIsMissing(deps, watch))) return { taken: 0, more: false };
  const { missing } = watch;
  const orphans = await deps.db.run(FIND_ORPHANS, [BATCH_MAX]);
  const nowMs = deps.clock.monotonicMs();
  noteMissing(missing, new Set(orphans.map(({ owner }) => owner)), nowMs, deps.random.unit());
  const due = orphans.filter(({ owner }) => (missing.get(owner) ?? Infinity) <= nowMs);
  const results = await Promise.all(due.map((orphan) => finishOrphan(deps, orphan, requestId)));
  return { taken: results.filter(Boolean).length, more: due.length >= BATCH_MAX };
}

/** Leases are read only after somebody has gone, and at a worker's start, when nobody knows who was there. */
async function somebodyIsMissing({ db, clock }: Deps, watch: Watch): Promise<boolean> {
  const alive = new Set((await db.run(FIND_LIVE_OWNERS, [])).map(({ owner }) => owner));
  const before = watch.alive;
  watch.alive = alive;
  const nowMs = clock.monotonicMs();
  if (before === null || [...before].some((owner) => !alive.has(owner))) {
    watch.readUntilMs = nowMs + READ_AFTER_DEATH_MS;
  }
  return nowMs < watch.readUntilMs || watch.missing.size > 0;
}

/** An owner that is back is forgotten; one that is newly missing gets its grace. */
function noteMissing(
  missing: Watch['missing'],
  seen: Set<number>,
  nowMs: number,
  jitter: number,
): void {
  for (const owner of missing.keys()) if (!seen.has(owner)) missing.delete(owner);
  for (const owner of seen) {
    if (!missing.has(owner)) missing.set(owner, nowMs + GRACE_MS + jitter * GRACE_JITTER_MS);
  }
}

type Orphan = { account_id: string; key_hash: Buffer; owner: number };

async function finishOrphan(deps: Deps, orphan: Orphan, requestId: string): Promise<boolean> {
  try {
    await failpoint('x1');
    const lease = await takeUp(deps, {
      accountId: orphan.account_id,
      keyHash: orphan.key_hash,
      state: 'started',
      ended: false,
      deadOwner: orphan.owner,
      orderOnce: false,
      actor: 'worker',
      requestId,
    });
    if (lease === null) return false;
    await failpoint('x2');
    await finishOperation(deps, lease);
    return true;
  } catch (error) {
    deps.log.warning('orphan_failed', { error: String(error) });
    return false; // its lease ends by itself
  }
}
