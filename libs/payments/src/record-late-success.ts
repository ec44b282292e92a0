import { lateSuccessTransfers } from '#ledger/transfers.js';
import { StatementUnconfirmed } from '#postgres/errors.js';
import type { Deps } from './deps.js';
import { FIND_LATE_SUCCESS, RECORD_LATE_SUCCESS } from './late-success.sql.js';
import { lockPayment } from './lock-payment.js';
import { type Payment, renderPayment } from './payment.js';

export type LateSuccessDeps = Pick<Deps, 'db' | 'log'>;

/** Money that the processor was seen to hold, for a payment that may be final without it. */
export type LateSuccess = {
  accountId: string;
  paymentId: string;
  processorName: string;
  /** The processor's payment (`pi_…`). */
  processorId: string;
  amount: number;
  currency: string;
  fee: { amount: number; currency: string } | null;
};

export type LateVerdict =
  /** It stands in suspense, by this run or an earlier one. */
  | { kind: 'in_suspense'; breakId: string; isOpen: boolean }
  /** The payment is pending, or this very charge is the one that paid it. */
  | { kind: 'not_late' };

/**
 * Books money that came for a payment after it was final: into suspense, with a break for a person to settle and
 * an event for the merchant, all in one commit. The payment stays as it is, and its key goes on replaying.
 *
 * @keeps P2: money that the processor holds is never ignored, whatever we had answered before.
 * @keeps P5: nor does it change the payment; only a person's acceptance does.
 */
export async function recordLateSuccess(
  deps: LateSuccessDeps,
  late: LateSuccess,
): Promise<LateVerdict> {
  try {
    return await record(deps, late);
  } catch (error) {
    // Nobody knows whether it was committed, and a second run that finds it there says nothing.
    if (error instanceof StatementUnconfirmed) sayAloud(deps, late, { record: 'unconfirmed' });
    throw error;
  }
}

async function record(deps: LateSuccessDeps, late: LateSuccess): Promise<LateVerdict> {
  const { accountId, paymentId, processorName, processorId } = late;
  const done = await deps.db.transaction(async (tx) => {
    const locked = await lockPayment(tx, accountId, paymentId);
    if (locked === null || !isLate(locked.payment, processorId)) return null;
    const { payment, newId } = locked;
    const [opened] = await tx.run(RECORD_LATE_SUCCESS, recordValues(late, payment, newId));
    const [known] = await tx.run(FIND_LATE_SUCCESS, [processorName, processorId]);
    if (!known) throw new Error('Bug: a late success has no break');
    return { payment, known, isNew: opened !== undefined };
  });
  if (done === null) return { kind: 'not_late' };
  const { payment, known, isNew } = done;
  if (isNew) {
    sayAloud(deps, late, {
      break_id: known.id,
      recorded: payment.status,
      recorded_processor_id: payment.processorId,
    });
  }
  return { kind: 'in_suspense', breakId: known.id, isOpen: known.status === 'open' };
}

/** Late for one that failed or was canceled, whichever charge it is; for any other, a charge beside its own. */
function isLate({ status, processorId }: Payment, late: string): boolean {
  if (status === 'pending') return false;
  return status === 'failed' || status === 'canceled' || processorId !== late;
}

function recordValues(late: LateSuccess, payment: Payment, breakId: string): unknown[] {
  const { accountId, paymentId, processorName, processorId, amount, currency } = late;
  const transfers = lateSuccessTransfers(late);
  return [
    accountId,
    paymentId,
    breakId,
    processorName,
    processorId,
    amount,
    currency,
    JSON.stringify({ payment_was: payment.status, paid_by: payment.processorId }),
    transfers.map(({ kind }) => kind),
    transfers.map(({ debit }) => debit),
    transfers.map(({ credit }) => credit),
    transfers.map((transfer) => transfer.amount),
    JSON.stringify({
      ...renderPayment(payment, null),
      late_success: { processor_id: processorId, amount, currency },
    }),
  ];
}

function sayAloud({ log }: LateSuccessDeps, late: LateSuccess, facts: object): void {
  log.critical('late_success', {
    payment_id: late.paymentId,
    processor_id: late.processorId,
    amount: late.amount,
    currency: late.currency,
    ...facts,
  });
}
