import type { Tx } from '#postgres/db.js';
import { LOCK_PAYMENT, type LockedRow } from './lock-payment.sql.js';
import type { Payment } from './payment.js';

/** A payment that this transaction holds: nobody else changes it, its refunds or its disputes until the commit. */
export type LockedPayment = {
  payment: Payment;
  amountReserved: number;
  /** A free id, and the database's time, for what is recorded now. */
  newId: string;
  now: Date;
};

/** Holds a payment until the transaction ends; null if the account has none of that id. */
export async function lockPayment(
  tx: Tx,
  accountId: string,
  paymentId: string,
): Promise<LockedPayment | null> {
  const [row] = await tx.run(LOCK_PAYMENT, [accountId, paymentId]);
  if (!row) return null;
  return {
    payment: paymentOf(accountId, paymentId, row),
    amountReserved: Number(row.amount_reserved),
    newId: row.new_id,
    now: row.now,
  };
}

function paymentOf(accountId: string, id: string, row: LockedRow): Payment {
  const { failure_code: code, failure_message: message, decline_code: declineCode } = row;
  return {
    id,
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
    failure: code === null ? null : { code, message: message ?? '', declineCode },
    processorName: row.processor_name,
    processorId: row.processor_id,
    createdAt: row.created_at,
    settledAt: row.settled_at,
  };
}
