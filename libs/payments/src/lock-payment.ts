import type { Tx } from '#postgres/db.js';
import { failpoint } from '#seams/failpoints.js';
import { LOCK_PAYMENT } from './lock-payment.sql.js';
import type { Payment } from './payment.js';
import { paymentFrom } from './payment.sql.js';

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
  await failpoint('w4');
  return {
    payment: paymentFrom(accountId, row),
    amountReserved: Number(row.amount_reserved),
    newId: row.new_id,
    now: row.now,
  };
}
