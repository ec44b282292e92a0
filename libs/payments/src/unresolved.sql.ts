import { statement } from '#postgres/statement.js';

/**
 * Leaves an operation unknown: the attempt is closed as unknown, the lease is free, and recovery is due
 * after a wait. A run that lost its lease changes nothing.
 *
 * @keeps P2: whatever may have been charged has a row that recovery or a person comes back to.
 */
export const LEAVE_UNKNOWN = statement<{ tries: number; review: boolean }>(
  'payments.leave_unknown',
  `WITH key AS (
     UPDATE idempotency_keys
        SET locked_until = payonce_now()
      WHERE account_id = $1::uuid AND key_hash = $2::bytea
        AND state = 'started'
        AND lease_token = $3::uuid
     RETURNING account_id, key_hash, claim_id, payment_id, operation_id
   ), attempt AS (
     UPDATE attempts a
        SET outcome = 'unknown', detail = $5::text, closed_at = payonce_now()
       FROM key
      WHERE a.account_id = $1::uuid AND a.operation_id = $11::uuid AND a.operation_id = key.operation_id
        AND a.attempt_no = $4::int AND a.outcome IS NULL
   ), operation AS (
     UPDATE operations o
        SET stored_error_at = payonce_now()
       FROM key
      WHERE $6::boolean AND o.account_id = $1::uuid AND o.id = $11::uuid AND o.id = key.operation_id
        AND o.stored_error_at IS NULL
   )
   INSERT INTO unresolved AS u (
          account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at)
   SELECT account_id, key_hash, claim_id, payment_id, $5::text, $7::int, 1,
          payonce_now() + $8::int * interval '1 millisecond', payonce_now(),
          CASE WHEN $9::boolean THEN payonce_now() END
     FROM key
   ON CONFLICT (account_id, key_hash) DO UPDATE
      SET reason = EXCLUDED.reason,
          tries = u.tries + EXCLUDED.tries,
          waits = u.waits + CASE WHEN $10::boolean THEN 0 ELSE 1 END,
          next_try_at = CASE WHEN $10::boolean THEN u.next_try_at ELSE EXCLUDED.next_try_at END,
          review_at = coalesce(u.review_at, EXCLUDED.review_at)
   RETURNING u.tries, u.review_at IS NOT NULL AS review`,
);

/**
 * Releases a key of which nothing was sent: its order's slot, its place as the one step under way or its
 * reservation is free, no send limit runs, and only the caller's own retry sends it. Queued work keeps what it
 * holds and is queued again instead, since its caller has gone. Refused (no row) if the lease is lost or any attempt is open or unknown.
 *
 * @keeps P7: a failure in which nothing happened is not saved as the answer.
 */
export const RELEASE = statement<{ payment_id: string }>(
  'payments.release',
  `WITH key AS (
     UPDATE idempotency_keys k
        SET state = CASE WHEN $6::boolean THEN 'queued' ELSE 'released' END, locked_until = payonce_now()
      WHERE k.account_id = $1::uuid AND k.key_hash = $2::bytea
        AND k.state = 'started'
        AND k.lease_token = $3::uuid
        AND NOT EXISTS (
              SELECT 1 FROM attempts a
               WHERE a.account_id = $1::uuid AND a.operation_id = $8::uuid AND a.operation_id = k.operation_id
                 AND a.attempt_no <> $4::int
                 AND (a.outcome IS NULL OR a.outcome = 'unknown'))
     RETURNING account_id, key_hash, claim_id, payment_id, operation_id, ends_at
   ), attempt AS (
     UPDATE attempts a
        SET outcome = 'not_sent', detail = $5::text, closed_at = payonce_now()
       FROM key
      WHERE a.account_id = $1::uuid AND a.operation_id = $8::uuid AND a.operation_id = key.operation_id
        AND a.attempt_no = $4::int AND a.outcome IS NULL
   ), operation AS (
     UPDATE operations o
        SET send_until = NULL
       FROM key
      WHERE o.account_id = $1::uuid AND o.id = $8::uuid AND o.id = key.operation_id
   ), slot AS (
     DELETE FROM order_slots s
      USING key
      JOIN payments p ON p.account_id = $1::uuid AND p.id = key.payment_id
      WHERE NOT $6::boolean AND $9::text = 'charge'
        AND s.account_id = $1::uuid AND s.order_id = p.order_id AND s.payment_id = p.id
   ), step AS (
     DELETE FROM payment_steps s
      USING key
      WHERE NOT $6::boolean
        AND s.account_id = $1::uuid AND s.payment_id = key.payment_id AND s.operation_id = key.operation_id
   ), refund AS (
     UPDATE refunds r
        SET reserved = false
       FROM key
      WHERE NOT $6::boolean AND $9::text = 'refund'
        AND r.account_id = $1::uuid AND r.operation_id = key.operation_id AND r.reserved
     RETURNING r.payment_id, r.amount
   ), reservation AS (
     UPDATE payments p
        SET amount_reserved = p.amount_reserved - refund.amount
       FROM refund
      WHERE p.account_id = $1::uuid AND p.id = refund.payment_id
   ), due AS (
     INSERT INTO unresolved AS u (account_id, key_hash, claim_id, payment_id, reason, waits, next_try_at, since)
     SELECT account_id, key_hash, claim_id, payment_id, $5::text, 1,
            CASE WHEN $6::boolean
              THEN least(ends_at, payonce_now() + $7::int * interval '1 millisecond')
              ELSE ends_at
            END,
            payonce_now()
       FROM key
     ON CONFLICT (account_id, key_hash) DO UPDATE
        SET reason = EXCLUDED.reason, waits = u.waits + 1, next_try_at = EXCLUDED.next_try_at
   )
   SELECT payment_id FROM key`,
);
