import { transfer } from '#ledger/transfers.js';
import type { Tx } from '#postgres/db.js';
import { violatedConstraint } from '#postgres/errors.js';
import { FIND_SLOT_HOLDER } from './claim.sql.js';
import type { Deps } from './deps.js';
import {
  ACCEPT_LATE_SUCCESS,
  type BreakRowFound,
  FIND_BREAK_PAYMENT,
  READ_BREAK,
} from './late-success.sql.js';
import { type LockedPayment, lockPayment } from './lock-payment.js';
import { type Payment, renderPayment } from './payment.js';
import { settleExcess } from './settle-excess.js';

/** What one person decided about one break, and why. */
export type Decision = { breakId: string; actor: string; reasonCode: string; reason: string };

export type Acceptance =
  | { kind: 'accepted'; before: object; after: object; accountId: string; paymentId: string }
  | { kind: 'not_found' }
  | { kind: 'not_acceptable'; because: NotAcceptable }
  /** Another payment holds the order: all that is left is to give the money back. */
  | { kind: 'order_taken'; by: string | null };

export const NOT_ACCEPTABLE = {
  another_kind: 'only money that came late can be accepted',
  closed: 'the break is closed already',
  refund_ordered: 'a refund of this money was ordered',
  payment_final: 'the payment has succeeded already: a second charge can only be given back',
} as const;
export type NotAcceptable = keyof typeof NOT_ACCEPTABLE;

/** `alsoIn` writes what else belongs into the same commit: who did it, with before and after. */
export type AcceptDeps = Pick<Deps, 'db' | 'log'> & {
  orderOnce: boolean;
  alsoIn?: (tx: Tx, accepted: Extract<Acceptance, { kind: 'accepted' }>) => Promise<void>;
};

/**
 * A person accepts money that came after its payment had failed or was canceled: the payment has succeeded after
 * all. Its key goes on replaying the answer that was saved; what the merchant hears is the event.
 */
export async function acceptLateSuccess(deps: AcceptDeps, decision: Decision): Promise<Acceptance> {
  const [found] = await deps.db.run(FIND_BREAK_PAYMENT, [decision.breakId]);
  if (!found) return { kind: 'not_found' };
  const { account_id: accountId, payment_id: paymentId, order_id: orderId } = found;
  try {
    const acceptance = await deps.db.transaction((tx) =>
      accept(deps, tx, accountId, paymentId, decision),
    );
    if (acceptance.kind === 'accepted') sayAccepted(deps, decision, paymentId);
    return acceptance;
  } catch (error) {
    if (violatedConstraint(error) !== 'order_slots_one_live_payment') throw error;
    const [holder] = await deps.db.run(FIND_SLOT_HOLDER, [accountId, orderId]);
    return { kind: 'order_taken', by: holder?.payment_id ?? null };
  }
}

async function accept(
  deps: AcceptDeps,
  tx: Tx,
  accountId: string,
  paymentId: string,
  decision: Decision,
): Promise<Acceptance> {
  const locked = await lockPayment(tx, accountId, paymentId);
  const [late] = await tx.run(READ_BREAK, [accountId, paymentId, decision.breakId]);
  if (locked === null || !late) return { kind: 'not_found' };
  const because = refusal(locked.payment, late);
  if (because !== null) return { kind: 'not_acceptable', because };
  const after = acceptedPayment(locked, late);
  await tx.run(ACCEPT_LATE_SUCCESS, acceptValues(deps, after, late, decision));
  await settleExcess(tx, { accountId, paymentId, sourceId: decision.breakId });
  const accepted = {
    kind: 'accepted' as const,
    before: renderPayment(locked.payment, null),
    after: renderPayment(after, null),
    accountId,
    paymentId,
  };
  await deps.alsoIn?.(tx, accepted);
  return accepted;
}

function refusal({ status }: Payment, late: BreakRowFound): NotAcceptable | null {
  if (late.kind !== 'late_success') return 'another_kind';
  if (late.status === 'closed') return 'closed';
  if (late.refund_ordered_at !== null) return 'refund_ordered';
  return status === 'failed' || status === 'canceled' ? null : 'payment_final';
}

function acceptedPayment({ payment, now }: LockedPayment, late: BreakRowFound): Payment {
  return {
    ...payment,
    status: 'succeeded',
    amountCaptured: Number(late.amount),
    processorId: late.reference,
    failure: null,
    settledAt: now,
  };
}

function acceptValues(
  { orderOnce }: AcceptDeps,
  after: Payment,
  late: BreakRowFound,
  decision: Decision,
): unknown[] {
  const { kind, debit, credit, amount } = transfer('late_success_accepted', after.amountCaptured);
  return [
    after.accountId,
    after.id,
    decision.breakId,
    late.reference,
    amount,
    after.settledAt,
    orderOnce,
    kind,
    debit,
    credit,
    JSON.stringify(renderPayment(after, null)),
    decision.actor,
    decision.reasonCode,
    decision.reason,
  ];
}

function sayAccepted({ log }: AcceptDeps, decision: Decision, paymentId: string): void {
  log.warning('late_success_accepted', {
    break_id: decision.breakId,
    payment_id: paymentId,
    actor: decision.actor,
    reason_code: decision.reasonCode,
  });
}
