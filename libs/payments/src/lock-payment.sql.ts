import { statement } from '#postgres/statement.js';
import { PAYMENT_COLUMNS, type PaymentColumns } from './payment.sql.js';

export type LockedRow = PaymentColumns & {
  amount_reserved: string;
  /** An id that is free, and the instant of this statement: what is recorded under the lock carries them. */
  new_id: string;
  now: Date;
};

/**
 * Holds a payment for the rest of the transaction. Everything that changes its sums does so under this lock,
 * and each later statement of the transaction sees all that was committed before the lock was had.
 */
export const LOCK_PAYMENT = statement<LockedRow>(
  'payments.lock_payment',
  `SELECT ${PAYMENT_COLUMNS}, p.amount_reserved, payonce_uuid_v7() AS new_id, payonce_now() AS now
     FROM payments p
    WHERE p.account_id = $1::uuid AND p.id = $2::uuid
      FOR UPDATE`,
);
