import type { Db, Tx } from '#postgres/db.js';
import { AUDIT_BREAK } from './breaks.sql.js';
import {
  ASK_WRITE_OFF,
  CLOSE_DIFFERENCE,
  type DifferenceRow,
  LOCK_DIFFERENCE,
  REOPEN_DIFFERENCE,
} from './differences.sql.js';

/** What a person can do with a difference of which no money of ours stands in suspense. */
export const DIFFERENCE_ACTS = ['match', 'accept', 'write-off', 'approve', 'reopen'] as const;
export type DifferenceAct = (typeof DIFFERENCE_ACTS)[number];

export type DifferenceOrder = {
  breakId: string;
  mode: 'test' | 'live';
  actor: string;
  reasonCode: string;
  reason: string;
  /** The kinds that can be settled by a person's word; others have money behind them. */
  kinds: readonly string[];
};

export type DifferenceVerdict =
  | { kind: 'done' }
  | { kind: 'not_found' }
  /** It is of a kind that has acts of its own. */
  | { kind: 'another_kind' }
  | { kind: 'refused'; because: keyof typeof REFUSED }
  | { kind: 'second_person_required' };

export const REFUSED = {
  closed: 'the break is closed already',
  open: 'the break is open',
  not_asked: 'nobody has asked to write it off',
  asked: 'it waits for a second person to approve that it be written off',
} as const;

/**
 * A person settles a difference by their word, or takes that back; the act is in the audit log in the same commit.
 * No money moves: what is written off is only given up, which takes two people.
 */
export async function settleDifference(
  db: Db,
  act: DifferenceAct,
  order: DifferenceOrder,
): Promise<DifferenceVerdict> {
  return db.transaction(async (tx) => {
    const [before] = await tx.run(LOCK_DIFFERENCE, [order.mode, order.breakId]);
    if (!before) return { kind: 'not_found' };
    if (!order.kinds.includes(before.kind)) return { kind: 'another_kind' };
    const refusal = refusalOf(act, before, order.actor);
    if (refusal !== null) return refusal;
    await change(tx, act, order);
    const [after] = await tx.run(LOCK_DIFFERENCE, [order.mode, order.breakId]);
    await audit(tx, act, order, before, after ?? before);
    return { kind: 'done' };
  });
}

function refusalOf(
  act: DifferenceAct,
  { status, write_off_asked_by: askedBy }: DifferenceRow,
  actor: string,
): DifferenceVerdict | null {
  if (act === 'reopen') return status === 'closed' || askedBy !== null ? null : refused('open');
  if (status === 'closed') return refused('closed');
  if (act === 'write-off') return askedBy === null ? null : refused('asked');
  if (act !== 'approve') return null;
  if (askedBy === null) return refused('not_asked');
  return askedBy === actor ? { kind: 'second_person_required' } : null;
}

function refused(because: keyof typeof REFUSED): DifferenceVerdict {
  return { kind: 'refused', because };
}

async function change(tx: Tx, act: DifferenceAct, order: DifferenceOrder): Promise<void> {
  const { breakId, actor, reasonCode, reason } = order;
  if (act === 'reopen') await tx.run(REOPEN_DIFFERENCE, [breakId]);
  else {
    const step = act === 'write-off' ? ASK_WRITE_OFF : CLOSE_DIFFERENCE;
    await tx.run(step, [breakId, actor, reasonCode, reason]);
  }
}

async function audit(
  tx: Tx,
  act: DifferenceAct,
  { mode, actor, breakId, reason, reasonCode }: DifferenceOrder,
  before: DifferenceRow,
  after: DifferenceRow,
): Promise<void> {
  const told = JSON.stringify({ ...after, reason_code: reasonCode });
  const action = `break.${act}`;
  await tx.run(AUDIT_BREAK, [mode, actor, action, breakId, reason, JSON.stringify(before), told]);
}
