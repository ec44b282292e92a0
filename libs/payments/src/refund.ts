export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;

/** A refund as the core knows it: money on its way back. Amounts are minor units. */
export type Refund = {
  id: string;
  accountId: string;
  paymentId: string;
  status: (typeof REFUND_STATUSES)[number];
  amount: number;
  currency: string;
  /** The caller's own words. They are never sent to the processor. */
  reason: string | null;
  failure: RefundFailure | null;
  /** Set where it gives back money that stands in suspense, which the payment never counted as captured. */
  breakId: string | null;
  processorId: string | null;
  createdAt: Date;
  settledAt: Date | null;
};

/** `not_sent`: nothing ever went out. `not_made`: proved not made. `failed_later`: the processor took it and it came back. */
export const REFUND_FAILURE_CODES = [
  'refund_declined',
  'not_sent',
  'canceled',
  'not_made',
  'failed_later',
] as const;
export type RefundFailureCode = (typeof REFUND_FAILURE_CODES)[number];

export type RefundFailure = {
  code: RefundFailureCode;
  message: string;
  /** The processor's own code, where it gave one. */
  declineCode: string | null;
};

/** The refund on the wire. The order of members is part of the saved bytes. */
export function renderRefund(refund: Refund): object {
  const { failure } = refund;
  return {
    id: refund.id,
    object: 'refund',
    payment_id: refund.paymentId,
    status: refund.status,
    amount: refund.amount,
    currency: refund.currency,
    reason: refund.reason,
    failure: failure && {
      code: failure.code,
      message: failure.message,
      ...(failure.declineCode === null ? {} : { decline_code: failure.declineCode }),
    },
    created_at: refund.createdAt.toISOString(),
    settled_at: refund.settledAt?.toISOString() ?? null,
  };
}
