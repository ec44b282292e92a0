import { deriveProcessorKey } from '#idempotency/processor-key.js';
import type { Tx } from '#postgres/db.js';
import { claimInternal } from './claim-internal.js';
import { FIND_TARGET } from './claim-step.sql.js';
import type { Deps } from './deps.js';
import {
  COUNT_FAILED_REFUNDS,
  FIND_BREAK_PAYMENT,
  ORDER_BREAK_REFUND,
  READ_BREAK,
  type BreakRowFound,
} from './late-success.sql.js';
import { lockPayment } from './lock-payment.js';

export type RefundOrder =
  /** Queued now, or before: `there`. */
  | { kind: 'queued' | 'there'; accountId: string; paymentId: string }
  | { kind: 'not_found' }
  | { kind: 'not_refundable'; because: keyof typeof NOT_REFUNDABLE };

export const NOT_REFUNDABLE = {
  another_kind: 'only money that came late can be given back this way',
  closed: 'the break is closed already',
  tried: 'a refund of it has failed: a person decides what is next',
} as const;

export type Order = {
  breakId: string;
  /** Why, for the refund's own row. */
  reason: string;
  requestId: string;
  /** By the policy, which tries once; a person may try again. */
  once?: boolean;
  /** Writes what else belongs into the commit that orders it: who did, with before and after. */
  alsoIn?: (tx: Tx, before: BreakRowFound) => Promise<void>;
};

type Ordered = { late: BreakRowFound; failedBefore: number };

/**
 * Gives money that came late back: first it is written on the break, so that nobody accepts it any more, then a
 * refund is queued, which a worker sends. Whoever asks, and how often, meets in one operation, so a crash
 * in between is mended by asking again.
 *
 * @keeps P1: the refund's key is a function of the charge, the break and the refunds of it that have failed.
 */
export async function refundLateSuccess(deps: Deps, order: Order): Promise<RefundOrder> {
  const [found] = await deps.db.run(FIND_BREAK_PAYMENT, [order.breakId]);
  if (!found) return { kind: 'not_found' };
  const { account_id: accountId, payment_id: paymentId } = found;
  const ordered = await deps.db.transaction((tx) => write(tx, accountId, paymentId, order));
  if ('kind' in ordered) return ordered;
  const { late, failedBefore } = ordered;
  const [target] = await deps.db.run(FIND_TARGET, [accountId, paymentId]);
  if (!target) throw new Error('Bug: a late success of a payment without a charge');
  const words = `${target.charge_key} ${late.reference} ${failedBefore}`;
  const claim = await claimInternal(deps, {
    kind: 'refund',
    accountId,
    target: { ...target, processor_id: late.reference },
    processorKey: deriveProcessorKey(accountId, 'refund', words),
    amount: Number(late.amount),
    reason: order.reason,
    breakId: order.breakId,
    requestId: order.requestId,
  });
  if (claim !== 'queued' && claim !== 'there') throw new Error(`Bug: a late refund is ${claim}`);
  return { kind: claim, accountId, paymentId };
}

async function write(
  tx: Tx,
  accountId: string,
  paymentId: string,
  order: Order,
): Promise<Ordered | RefundOrder> {
  await lockPayment(tx, accountId, paymentId);
  const [late] = await tx.run(READ_BREAK, [accountId, paymentId, order.breakId]);
  if (!late) return { kind: 'not_found' };
  if (late.kind !== 'late_success') return { kind: 'not_refundable', because: 'another_kind' };
  if (late.status === 'closed') return { kind: 'not_refundable', because: 'closed' };
  const [refunds] = await tx.run(COUNT_FAILED_REFUNDS, [accountId, paymentId, order.breakId]);
  const failedBefore = refunds?.failed ?? 0;
  if (order.once && failedBefore > 0) return { kind: 'not_refundable', because: 'tried' };
  const [isFirst] = await tx.run(ORDER_BREAK_REFUND, [accountId, order.breakId]);
  if (isFirst) await order.alsoIn?.(tx, late);
  return { late, failedBefore };
}
