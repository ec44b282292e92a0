import type { Failure, Payment } from './payment.js';

/** A payment as our statements return it; the table is `p` there. */
export const PAYMENT_COLUMNS = `
          p.id AS payment_id, p.status, p.amount, p.amount_captured, p.amount_refunded, p.amount_disputed,
          p.currency, p.payment_method, p.order_id, p.description, p.metadata, p.capture,
          p.failure_code, p.failure_message, p.decline_code, p.processor_name, p.processor_id,
          p.created_at, p.settled_at`;

export type PaymentColumns = {
  payment_id: string;
  status: Payment['status'];
  amount: string;
  amount_captured: string;
  amount_refunded: string;
  amount_disputed: string;
  currency: string;
  payment_method: string;
  order_id: string | null;
  description: string | null;
  metadata: Record<string, string>;
  capture: 'automatic' | 'manual';
  failure_code: Failure['code'] | null;
  failure_message: string | null;
  decline_code: string | null;
  processor_name: string;
  processor_id: string | null;
  created_at: Date;
  settled_at: Date | null;
};

export function paymentFrom(accountId: string, row: PaymentColumns): Payment {
  return {
    id: row.payment_id,
    accountId,
    status: row.status,
    amount: Number(row.amount),
    amountCaptured: Number(row.amount_captured),
    amountRefunded: Number(row.amount_refunded),
    amountDisputed: Number(row.amount_disputed),
    currency: row.currency,
    paymentMethod: row.payment_method,
    orderId: row.order_id,
    description: row.description,
    metadata: row.metadata,
    capture: row.capture,
    failure:
      row.failure_code === null
        ? null
        : {
            code: row.failure_code,
            message: row.failure_message ?? '',
            declineCode: row.decline_code,
          },
    processorName: row.processor_name,
    processorId: row.processor_id,
    createdAt: row.created_at,
    settledAt: row.settled_at,
  };
}
