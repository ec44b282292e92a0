import { refundFailedTransfers } from '#ledger/transfers.js';
import type { Tx } from '#postgres/db.js';
import { FIND_SLOT_HOLDER } from './claim.sql.js';
import type { Deps } from './deps.js';
import { type LockedPayment, lockPayment } from './lock-payment.js';
import { type Refund, renderRefund } from './refund.js';
import { READ_REFUND, RECORD_REFUND_NEWS } from './refund-news.sql.js';
import { refundFrom } from './refund.sql.js';
import { settleExcess } from './settle-excess.js';

/** A refund of ours as the processor showed it, after its own record step. */
export type SeenRefund = {
  accountId: string;
  paymentId: string;
  refundId: string;
  processorId: string;
  status: 'pending' | 'succeeded' | 'failed';
  failureReason: string | null;
};

export type RefundVerdict =
  | { kind: 'recorded'; refund: Refund }
  | { kind: 'known' }
  /** Its own record step has not run yet. */
  | { kind: 'not_taken' }
  | { kind: 'contradicted'; detail: string };

/**
 * Records what became of a refund that the processor had taken. One that fails, days later perhaps, gives its
 * amount back to the payment by a compensating entry; the order's slot stays with whoever has it now.
 *
 * @keeps P5: what is known already, or older than that, changes nothing.
 * @keeps P6: the reservation is given back only in the commit that books the money's return.
 */
export async function recordRefundNews(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  seen: SeenRefund,
): Promise<RefundVerdict> {
  const { verdict, orderHeldBy } = await db.transaction((tx) => record(tx, seen));
  if (verdict.kind === 'recorded' && seen.status === 'failed') {
    log.warning('refund_failed_late', {
      payment_id: seen.paymentId,
      refund_id: seen.refundId,
      processor_id: seen.processorId,
      order_held_by: orderHeldBy,
    });
  }
  return verdict;
}

type Recorded = { verdict: RefundVerdict; orderHeldBy: string | null };

async function record(tx: Tx, seen: SeenRefund): Promise<Recorded> {
  const locked = await lockPayment(tx, seen.accountId, seen.paymentId);
  const [row] = await tx.run(READ_REFUND, [seen.accountId, seen.refundId]);
  if (locked === null || !row) throw new Error('Bug: news of a refund that is not here');
  const refund = refundFrom(seen.accountId, row);
  const early = judge(refund, seen);
  if (early !== null) return { verdict: early, orderHeldBy: null };
  const moved = movedRefund(refund, seen, locked.now);
  const orderHeldBy = moved.status === 'failed' ? await rivalOf(tx, seen.accountId, locked) : null;
  const values = recordValues(refund, moved, row.reserved, locked);
  const [recorded] = await tx.run(RECORD_REFUND_NEWS, [
    ...values,
    locked.payment.processorName,
    seen.processorId,
    refund.amount,
    orderHeldBy,
  ]);
  if (!recorded) throw new Error('Bug: a refund moved under its payment’s lock');
  if (moved.status === 'failed') {
    const { accountId, paymentId, refundId: sourceId } = seen;
    await settleExcess(tx, { accountId, paymentId, sourceId });
  }
  return { verdict: { kind: 'recorded', refund: moved }, orderHeldBy };
}

/** What there is to say without recording anything; null if there is something to record. */
function judge(refund: Refund, seen: SeenRefund): RefundVerdict | null {
  if (refund.status === 'pending' && refund.processorId === null) return { kind: 'not_taken' };
  if (refund.processorId !== seen.processorId) {
    const was = refund.processorId ?? refund.failure?.code ?? refund.status;
    return { kind: 'contradicted', detail: `it was ${was}, and is ${seen.processorId}` };
  }
  const isNews = RANK[seen.status] > RANK[refund.status];
  return isNews ? null : { kind: 'known' };
}

/** A refund only moves along this order; a failure may come after a success, and nothing after a failure. */
const RANK = { pending: 0, succeeded: 1, failed: 2 } as const;

function movedRefund(refund: Refund, seen: SeenRefund, now: Date): Refund {
  if (seen.status === 'succeeded') return { ...refund, status: 'succeeded', settledAt: now };
  const why = seen.failureReason === null ? '' : ` (${seen.failureReason})`;
  const message = `The processor took the refund, and it came back later${why}.`;
  const failure = { code: 'failed_later' as const, message, declineCode: null };
  return { ...refund, status: 'failed', failure, settledAt: now };
}

/** Another payment that holds this one's order by now. */
async function rivalOf(
  tx: Tx,
  accountId: string,
  { payment }: LockedPayment,
): Promise<string | null> {
  if (payment.orderId === null) return null;
  const [holder] = await tx.run(FIND_SLOT_HOLDER, [accountId, payment.orderId]);
  return holder === undefined || holder.payment_id === payment.id ? null : holder.payment_id;
}

function recordValues(
  was: Refund,
  moved: Refund,
  reserved: boolean,
  { now }: LockedPayment,
): unknown[] {
  const failed = moved.status === 'failed';
  const counts = was.breakId === null;
  const counted = counts && was.status === 'succeeded';
  const transfers = failed ? refundFailedTransfers(was) : [];
  return [
    was.accountId,
    was.paymentId,
    was.id,
    moved.status,
    moved.failure?.code ?? null,
    moved.failure?.message ?? null,
    now,
    was.status,
    failed && reserved ? was.amount : 0,
    failed ? (counted ? -was.amount : 0) : counts ? was.amount : 0,
    transfers.map(({ kind }) => kind),
    transfers.map(({ debit }) => debit),
    transfers.map(({ credit }) => credit),
    transfers.map(({ amount }) => amount),
    JSON.stringify(renderRefund(moved)),
  ];
}
