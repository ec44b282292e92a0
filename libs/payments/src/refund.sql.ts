import type { Refund, RefundFailureCode } from './refund.js';

/** A refund as our statements return it beside other things; the table is `r` there, and may be missing. */
export const REFUND_COLUMNS = `
          r.id AS refund_id, r.payment_id AS refund_payment_id, r.status AS refund_status,
          r.amount AS refund_amount, r.currency AS refund_currency, r.reason AS refund_reason,
          r.failure_code AS refund_failure_code, r.failure_message AS refund_failure_message,
          r.decline_code AS refund_decline_code, r.break_id AS refund_break_id,
          r.processor_id AS refund_processor_id, r.created_at AS refund_created_at,
          r.settled_at AS refund_settled_at`;

export type RefundColumns = {
  refund_id: string;
  refund_payment_id: string;
  refund_status: Refund['status'];
  refund_amount: string;
  refund_currency: string;
  refund_reason: string | null;
  refund_failure_code: RefundFailureCode | null;
  refund_failure_message: string | null;
  refund_decline_code: string | null;
  refund_break_id: string | null;
  refund_processor_id: string | null;
  refund_created_at: Date;
  refund_settled_at: Date | null;
};

export function refundFrom(accountId: string, row: RefundColumns): Refund {
  return {
    id: row.refund_id,
    accountId,
    paymentId: row.refund_payment_id,
    status: row.refund_status,
    amount: Number(row.refund_amount),
    currency: row.refund_currency,
    reason: row.refund_reason,
    failure:
      row.refund_failure_code === null
        ? null
        : {
            code: row.refund_failure_code,
            message: row.refund_failure_message ?? '',
            declineCode: row.refund_decline_code,
          },
    breakId: row.refund_break_id,
    processorId: row.refund_processor_id,
    createdAt: row.refund_created_at,
    settledAt: row.refund_settled_at,
  };
}
