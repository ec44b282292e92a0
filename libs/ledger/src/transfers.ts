import { ENTRY_KINDS, type EntryKind, type LedgerAccount } from './entry-kinds.js';

/** One ledger entry to be: `amount` minor units from the credited account to the debited one. */
export type Transfer = {
  kind: EntryKind;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: number;
};

/**
 * The transfers of a charge: the money itself, and the processor's fee if the processor told it in the
 * charge's own currency. A fee in another currency, or none yet, is for reconciliation to book.
 */
export function chargeTransfers(charge: Charge): Transfer[] {
  return [transfer('charge', charge.amount), ...feeTransfers(charge)];
}

/**
 * Those of money that came for a payment which was final: whose it is is not decided. Its fee in both forms, of which
 * the record step books one.
 */
export function lateSuccessTransfers(charge: Charge): Transfer[] {
  const fees = feeTransfers(charge);
  const ofBreak = fees.map(({ amount }) => transfer('late_success_fee', amount));
  return [transfer('late_success', charge.amount), ...fees, ...ofBreak];
}

/** A dispute takes what is left on the payment from the merchant, and the rest from suspense. */
export function disputeTransfers(dispute: { amount: number; excess: number }): Transfer[] {
  return [
    transfer('dispute', dispute.amount - dispute.excess),
    transfer('dispute_excess', dispute.excess),
  ].filter(({ amount }) => amount > 0);
}

/** A dispute that was won gives back each part to where it stands now. */
export function disputeWonTransfers(dispute: { amount: number; excess: number }): Transfer[] {
  return [
    transfer('dispute_won', dispute.amount - dispute.excess),
    transfer('dispute_excess_won', dispute.excess),
  ].filter(({ amount }) => amount > 0);
}

/** The same for a capture. The money is booked under the capture's own id; the fee is the payment's. */
export function captureTransfers(capture: Charge, paymentId: string, captureId: string): Sourced[] {
  return [
    { ...transfer('capture', capture.amount), sourceId: captureId },
    ...feeTransfers(capture).map((fee) => ({ ...fee, sourceId: paymentId })),
  ];
}

/** The transfer of a refund, booked under its own id: a payment may have many. */
export function refundTransfers(refund: Refunded): Sourced[] {
  const kind = refund.breakId === null ? 'refund' : 'late_success_refund';
  return [{ ...transfer(kind, refund.amount), sourceId: refund.id }];
}

/** The transfer of a refund that came back. */
export function refundFailedTransfers(refund: Refunded): Sourced[] {
  const kind = refund.breakId === null ? 'refund_failed' : 'late_success_refund_failed';
  return [{ ...transfer(kind, refund.amount), sourceId: refund.id }];
}

/** With a break, it gives back money that stands in suspense. */
type Refunded = { id: string; amount: number; breakId: string | null };

/** A transfer, and what it is booked for: the payment itself, or a capture, refund or dispute of it. */
export type Sourced = Transfer & { sourceId: string };

type Charge = {
  amount: number;
  currency: string;
  fee: { amount: number; currency: string } | null;
};

function feeTransfers({ currency, fee }: Charge): Transfer[] {
  const isBookable = fee !== null && fee.currency === currency && fee.amount > 0;
  return isBookable ? [transfer('processor_fee', fee.amount)] : [];
}

export function transfer(kind: EntryKind, amount: number): Transfer {
  return { kind, ...ENTRY_KINDS[kind], amount };
}
