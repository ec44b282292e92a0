import { AUDIT_BREAK } from '#operations/breaks.sql.js';
import type { Tx } from '#postgres/db.js';
import { type Acceptance, acceptLateSuccess } from './accept-late-success.js';
import type { Deps } from './deps.js';
import { FIND_BREAK_MODE } from './late-success.sql.js';
import { type RefundOrder, refundLateSuccess } from './refund-late-success.js';

/** One break, and the operator who settles it. */
export type BreakAct = {
  breakId: string;
  /** What is of the other mode is not there. */
  mode: 'test' | 'live';
  actor: string;
  reasonCode: string;
  reason: string;
  requestId: string;
};

/** A person takes money that came late: its payment has succeeded after all. The act is in the audit log. */
export async function acceptBreak(
  deps: Deps,
  orderOnce: boolean,
  act: BreakAct,
): Promise<Acceptance> {
  if (!(await isThere(deps, act))) return { kind: 'not_found' };
  const alsoIn = (tx: Tx, { before, after }: { before: object; after: object }) =>
    audit(tx, 'break.accept', act, before, after);
  return acceptLateSuccess({ db: deps.db, log: deps.log, orderOnce, alsoIn }, act);
}

/** A person gives it back: a refund is queued, and closes the break when it is made. */
export async function refundBreak(deps: Deps, act: BreakAct): Promise<RefundOrder> {
  if (!(await isThere(deps, act))) return { kind: 'not_found' };
  const { breakId, reason, requestId } = act;
  const alsoIn = (tx: Tx, before: object) =>
    audit(tx, 'break.refund', act, before, { ...before, refund: 'ordered' });
  return refundLateSuccess(deps, { breakId, reason: reason.slice(0, 500), requestId, alsoIn });
}

async function isThere({ db }: Deps, { breakId, mode }: BreakAct): Promise<boolean> {
  const [found] = await db.run(FIND_BREAK_MODE, [breakId]);
  return found?.mode === mode;
}

async function audit(
  tx: Tx,
  action: string,
  { mode, actor, breakId, reason, reasonCode }: BreakAct,
  before: object,
  after: object,
): Promise<void> {
  const told = JSON.stringify({ ...after, reason_code: reasonCode });
  await tx.run(AUDIT_BREAK, [mode, actor, action, breakId, reason, JSON.stringify(before), told]);
}
