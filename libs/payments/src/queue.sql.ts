import { statement } from '#postgres/statement.js';
import { PAYMENT_COLUMNS, type PaymentColumns } from './payment.sql.js';

/**
 * Turns released work into queued work, as a claim would: it takes the order's slot, and a slot that is
 * taken undoes it.
 */
export const ENQUEUE = statement<{ payment_id: string }>(
  'payments.enqueue',
  `WITH key AS (
     UPDATE idempotency_keys
        SET state = 'queued', locked_until = payonce_now()
      WHERE account_id = $1::uuid AND key_hash = $2::bytea
        AND state = 'released'
        AND ends_at > payonce_now()
     RETURNING account_id, key_hash, claim_id, payment_id, operation_id
   ), slot AS (
     INSERT INTO order_slots (account_id, order_id, payment_id, taken_at)
     SELECT p.account_id, p.order_id, p.id, payonce_now()
       FROM key
       JOIN payments p ON p.account_id = $1::uuid AND p.id = key.payment_id
      WHERE $3::boolean AND p.order_id IS NOT NULL
   ), operation AS (
     UPDATE operations o
        SET queued = true
       FROM key
      WHERE o.account_id = $1::uuid AND o.id = key.operation_id
   ), due AS (
     INSERT INTO unresolved AS u (account_id, key_hash, claim_id, payment_id, reason, next_try_at, since)
     SELECT account_id, key_hash, claim_id, payment_id, 'queued', payonce_now(), payonce_now()
       FROM key
     ON CONFLICT (account_id, key_hash) DO UPDATE
        SET reason = EXCLUDED.reason, next_try_at = EXCLUDED.next_try_at, waits = 0
   )
   SELECT payment_id FROM key`,
);

/** A pending payment, read from the primary. */
export const FIND_PENDING = statement<PaymentColumns>(
  'payments.find_pending',
  `SELECT ${PAYMENT_COLUMNS}
     FROM payments p
    WHERE p.account_id = $1::uuid AND p.id = $2::uuid AND p.status = 'pending'`,
);

/**
 * The key of an unsettled charge, capture or void of a payment (or of one operation, by its id) that nobody works on and whose last call ended at least a second ago. From its
 * beginning a second would not do: behind a slow processor, readers would hold the lease one after the
 * other, and recovery would never get it.
 */
export const FIND_LOOKABLE = statement<{ key_hash: Buffer }>(
  'payments.find_lookable',
  `SELECT k.key_hash
     FROM operations o
     JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
    WHERE o.account_id = $1::uuid AND o.payment_id = $2::uuid
      AND ($3::uuid IS NULL AND o.kind <> 'refund' OR o.id = $3::uuid)
      AND k.state = 'started' AND k.locked_until <= payonce_now()
      AND NOT EXISTS (
            SELECT 1 FROM attempts a
             WHERE a.account_id = $1::uuid AND a.operation_id = o.id
               AND greatest(a.opened_at, a.closed_at) > payonce_now() - interval '1 second')`,
);
