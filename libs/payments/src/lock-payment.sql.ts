import { statement } from '#postgres/statement.js';
import type { Failure } from './payment.js';
import type { PaymentStatus } from './payment-status.js';

export type LockedRow = {
  status: PaymentStatus;
  amount: string;
  amount_captured: string;
  amount_refunded: string;
  amount_disputed: string;
  amount_reserved: string;
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
  `SELECT status, amount, amount_captured, amount_refunded, amount_disputed, amount_reserved, currency,
          payment_method, order_id, description, metadata, capture, failure_code, failure_message,
          decline_code, processor_name, processor_id, created_at, settled_at,
          payonce_uuid_v7() AS new_id, payonce_now() AS now
     FROM payments
    WHERE account_id = $1::uuid AND id = $2::uuid
      FOR UPDATE`,
);
