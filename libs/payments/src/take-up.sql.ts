import { statement } from '#postgres/statement.js';
import type { OperationKind } from './operation-kind.js';
import { OWNER_IS_GONE } from './orphans.sql.js';
import { PAYMENT_COLUMNS, type PaymentColumns } from './payment.sql.js';
import { RECOVERING } from './recovery.sql.js';
import { REFUND_COLUMNS, type RefundColumns } from './refund.sql.js';

export type TakenUpRow = PaymentColumns & {
  operation_id: string;
  kind: OperationKind;
  operation_amount: string;
  target_id: string | null;
  /** The processor's key of the payment's charge; null for the charge itself. */
  charge_key: string | null;
  claim_request_id: string;
  action: 'send' | 'look_up' | 'close';
  attempts_made: number;
  unknown_before: boolean;
  send_until: Date;
  stored_error_at: Date | null;
  waits: number;
  tries: number;
  in_review: boolean;
  processor_account: string;
  processor_key: string;
  api_version: string;
  rendering_version: number;
  queued: boolean;
  now: Date;
} & (RefundColumns | { refund_id: null });

/** What a lease knows of its operation, of the payment and of the refund, if it is one. */
const OPERATION_COLUMNS = `
          o.id AS operation_id, o.kind, o.amount AS operation_amount, o.target_id,
          (SELECT c.processor_key FROM operations c
            WHERE o.kind <> 'charge' AND c.account_id = o.account_id AND c.payment_id = o.payment_id
              AND c.kind = 'charge') AS charge_key,
          o.attempts_made, o.send_until, o.stored_error_at, o.processor_account, o.processor_key,
          o.api_version, o.rendering_version, o.queued, payonce_now() AS now,${PAYMENT_COLUMNS},${REFUND_COLUMNS}`;

/**
 * Takes the lease of a key that nobody holds: unknown work ('started', and its lease is over or its owner
 * is presumed dead), or released work that its caller sends again. One compare-and-set decides between any number of takers. It opens the next
 * attempt in the same commit, so that a crash right after it leaves a trace, and moves the item's due time
 * to the end of this lease, so that recovery comes back if this taker dies.
 *
 * What the run may do is decided here, from the rows alone:
 *   close    released or queued, and the key's end has come, or its caller gives it up: nothing was ever sent,
 *            nothing may be sent now.
 *            Also started without an attempt that may have sent: a run that was closing it was interrupted
 *   look_up  a reader only wants to know; or something may have been sent and the processor keeps no keys (a send
 *            window of 0), whatever a clock says; or past the send limit; or the processor is known to replay a
 *            stored error; or a person was asked to look, and this is a sweep; or a dispute has taken what a
 *            refund would give back
 *   send     otherwise, under the same processor key
 *
 * While the database recovers nobody takes up what might be sent.
 *
 * @keeps P1: a takeover writes a new lease token, and sends only under the operation's own key.
 * @keeps P5: a capture or void that was given back begins again only on a payment that is still authorized.
 * @keeps P7: what is being closed is never sent after all, however often closing it is interrupted.
 */
export const TAKE_UP = statement<TakenUpRow>(
  'payments.take_up',
  `WITH key AS (
     UPDATE idempotency_keys
        SET state = 'started',
            lease_token = $4::uuid,
            owner = $11::int,
            locked_until = payonce_now() + $5::int * interval '1 millisecond'
      WHERE account_id = $1::uuid AND key_hash = $2::bytea
        AND state = $3::text
        -- Only started work has an owner: a clock that was set back must not lock what nobody holds.
        AND ($3::text <> 'started' OR locked_until <= payonce_now()
             OR (owner = $12::int AND ${OWNER_IS_GONE}))
        AND ($3::text = 'started' OR $14::boolean OR $6::boolean = (ends_at <= payonce_now()))
        -- While the database recovers, work may be closed or looked at, and nothing is sent.
        AND ($6::boolean OR $13::boolean OR $14::boolean OR NOT ${RECOVERING})
        -- Readers ask once a second, however many of them had seen that nobody was asking.
        AND NOT ($15::boolean AND EXISTS (
                   SELECT 1 FROM attempts a
                    WHERE a.account_id = $1::uuid AND a.operation_id = idempotency_keys.operation_id
                      AND greatest(a.opened_at, a.closed_at) > payonce_now() - interval '1 second'))
     RETURNING account_id, key_hash, claim_id, payment_id, operation_id, request_id, locked_until
   ), before AS MATERIALIZED (
     SELECT earlier.unknown AS unknown_before, o.kind, o.payment_id,
            -- Released work that is sent again takes back what it had given up: an order's slot, the place of the
            -- one capture or void under way, a reservation.
            $3::text = 'released' AND NOT $6::boolean AND NOT $14::boolean AS retakes,
            CASE
              WHEN $6::boolean OR $14::boolean OR ($3::text = 'started' AND NOT earlier.unknown) THEN 'close'
              WHEN $13::boolean OR ($8::bigint = 0 AND earlier.unknown) THEN 'look_up'
              WHEN o.stored_error_at IS NOT NULL OR o.send_until <= payonce_now() THEN 'look_up'
              WHEN o.kind = 'refund' AND earlier.unknown AND EXISTS (
                     SELECT 1 FROM payments p
                      WHERE p.account_id = $1::uuid AND p.id = o.payment_id
                        AND p.amount_reserved + p.amount_disputed > p.amount_captured) THEN 'look_up'
              WHEN $9::text = 'worker' AND EXISTS (
                     SELECT 1 FROM unresolved u
                      WHERE u.account_id = $1::uuid AND u.key_hash = key.key_hash
                        AND u.review_at IS NOT NULL) THEN 'look_up'
              ELSE 'send'
            END AS action
       FROM key
       JOIN operations o ON o.account_id = $1::uuid AND o.id = key.operation_id
       CROSS JOIN LATERAL (
              SELECT EXISTS (
                       SELECT 1 FROM attempts a
                        WHERE a.account_id = $1::uuid AND a.operation_id = key.operation_id
                          AND (a.outcome IS NULL OR a.outcome = 'unknown')
                     ) AS unknown) AS earlier
   ), slot AS (
     INSERT INTO order_slots (account_id, order_id, payment_id, taken_at)
     SELECT p.account_id, p.order_id, p.id, payonce_now()
       FROM before
       JOIN payments p ON p.account_id = $1::uuid AND p.id = before.payment_id
      WHERE before.retakes AND before.kind = 'charge' AND $7::boolean AND p.order_id IS NOT NULL
   ), target AS MATERIALIZED (
     -- Its row is locked, as by the claim: what is seen of it is what is there when the place is free.
     SELECT p.status
       FROM before
       JOIN payments p ON p.account_id = $1::uuid AND p.id = before.payment_id
      WHERE before.retakes AND before.kind IN ('capture', 'void')
        FOR NO KEY UPDATE OF p
   ), step AS (
     INSERT INTO payment_steps (account_id, payment_id, operation_id, taken_at)
     SELECT key.account_id, key.payment_id, key.operation_id, payonce_now()
       FROM key, target
   ), refund AS (
     UPDATE refunds r
        SET reserved = true
       FROM key, before
      WHERE before.retakes AND before.kind = 'refund'
        AND r.account_id = $1::uuid AND r.operation_id = key.operation_id AND r.break_id IS NULL
     RETURNING r.payment_id, r.amount
   ), reservation AS (
     UPDATE payments p
        SET amount_reserved = p.amount_reserved + refund.amount
       FROM refund
      WHERE p.account_id = $1::uuid AND p.id = refund.payment_id
   ), operation AS (
     UPDATE operations o
        SET attempts_made = attempts_made + CASE WHEN before.action = 'close' THEN 0 ELSE 1 END,
            send_until = coalesce(send_until, payonce_now() + $8::bigint * interval '1 millisecond')
       FROM key, before
      WHERE o.account_id = $1::uuid AND o.id = key.operation_id
     RETURNING o.*
   ), attempt AS (
     INSERT INTO attempts (account_id, operation_id, attempt_no, action, actor, request_id, opened_at)
     SELECT operation.account_id, operation.id, operation.attempts_made, before.action, $9::text, $10::text,
            payonce_now()
       FROM operation, before
      WHERE before.action <> 'close'
   ), due AS (
     INSERT INTO unresolved (account_id, key_hash, claim_id, payment_id, reason, next_try_at, since)
     SELECT account_id, key_hash, claim_id, payment_id, 'taken up',
            CASE WHEN $13::boolean THEN payonce_now() ELSE locked_until END, payonce_now()
       FROM key
     ON CONFLICT (account_id, key_hash) DO UPDATE
        SET next_try_at = CASE WHEN $13::boolean THEN unresolved.next_try_at ELSE EXCLUDED.next_try_at END
     RETURNING waits, tries, review_at IS NOT NULL AS in_review
   )
   SELECT key.request_id AS claim_request_id, before.action, before.unknown_before,
          due.waits, due.tries, due.in_review,${OPERATION_COLUMNS}
     FROM key
     CROSS JOIN before
     CROSS JOIN operation o
     CROSS JOIN due
     JOIN payments p ON p.account_id = $1::uuid AND p.id = key.payment_id
     LEFT JOIN refunds r ON r.account_id = $1::uuid AND r.operation_id = o.id AND o.kind = 'refund'
    WHERE CASE WHEN EXISTS (SELECT 1 FROM target WHERE status <> 'authorized')
               THEN payonce_refuse('payments_authorized') ELSE true END`,
);

/** The lease that is held under a token: for a claim whose acknowledgement was lost. */
export const FIND_LEASE = statement<TakenUpRow>(
  'payments.find_lease',
  `SELECT k.request_id AS claim_request_id, 'send' AS action, false AS unknown_before,
          0 AS waits, 0 AS tries, false AS in_review,${OPERATION_COLUMNS}
     FROM idempotency_keys k
     JOIN operations o ON o.account_id = $1::uuid AND o.id = k.operation_id
     JOIN payments p ON p.account_id = $1::uuid AND p.id = k.payment_id
     LEFT JOIN refunds r ON r.account_id = $1::uuid AND r.operation_id = o.id
    WHERE k.account_id = $1::uuid AND k.key_hash = $2::bytea
      AND k.state = 'started' AND k.lease_token = $3::uuid`,
);
