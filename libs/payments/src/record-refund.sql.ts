import { statement } from '#postgres/statement.js';
import { FINISHED_KEY } from './finished-key.sql.js';

/**
 * The record step of a refund: key, refund, payment, attempt, ledger, event and saved answer change together or
 * not at all. What was not made gives its reservation back. A payment whose last refund has succeeded frees its
 * order's slot, for good.
 *
 * A refund that the processor took but has not settled stays pending, with its id there: the money has left, so
 * it is booked, and later news settles it.
 *
 * @keeps P4: a second booking violates the ledger's unique rule and undoes the whole step.
 * @keeps P5: only a started key under our own lease, and only a pending refund, moves.
 * @keeps P6: a reservation is given back only in the commit that proves the refund not made.
 */
export const RECORD_REFUND = statement<{ payment_id: string }>(
  'payments.record_refund',
  `WITH ${FINISHED_KEY}, refund AS (
     UPDATE refunds r
        SET status = $4::text,
            processor_id = $5::text,
            failure_code = $6::text,
            failure_message = $7::text,
            decline_code = $8::text,
            settled_at = $9::timestamptz,
            reserved = r.reserved AND $4::text <> 'failed'
       FROM key
       JOIN refunds was ON was.account_id = $1::uuid AND was.id = $25::uuid
      WHERE r.account_id = $1::uuid AND r.id = $25::uuid AND r.operation_id = key.operation_id
        AND r.status = 'pending' AND r.processor_id IS NULL
     RETURNING r.account_id, r.id, r.payment_id, r.amount, r.status, r.break_id,
               was.reserved AND r.status = 'failed' AS gives_back
   ), payment AS (
     UPDATE payments p
        SET amount_reserved = p.amount_reserved
              - CASE WHEN refund.gives_back THEN refund.amount ELSE 0 END,
            amount_refunded = p.amount_refunded
              + CASE WHEN refund.status = 'succeeded' AND refund.break_id IS NULL THEN refund.amount ELSE 0 END,
            event_sequence = p.event_sequence + 1
       FROM refund
      WHERE p.account_id = $1::uuid AND p.id = $23::uuid AND p.id = refund.payment_id
     RETURNING p.account_id, p.id, p.order_id, p.currency, p.amount_captured, p.amount_refunded, p.event_sequence
   ), late AS (
     -- Money that came late has gone back, or stays in suspense for a person to decide anew.
     UPDATE breaks b
        SET status = CASE refund.status WHEN 'failed' THEN 'open' ELSE 'closed' END,
            closed_at = CASE refund.status WHEN 'failed' THEN NULL ELSE $26::timestamptz END,
            closed_by = CASE refund.status WHEN 'failed' THEN NULL ELSE 'payonce' END,
            reason_code = CASE refund.status WHEN 'failed' THEN NULL ELSE 'refunded' END,
            refund_ordered_at = CASE refund.status WHEN 'failed' THEN NULL ELSE b.refund_ordered_at END,
            last_seen = $26::timestamptz
       FROM refund
      WHERE b.id = refund.break_id AND b.account_id = $1::uuid
   ), attempt AS (
     UPDATE attempts a
        SET outcome = $10::text, detail = $11::text, closed_at = payonce_now()
       FROM key, refund
      WHERE a.account_id = $1::uuid AND a.operation_id = $24::uuid AND a.operation_id = key.operation_id
        AND a.attempt_no = $12::int AND a.outcome IS NULL
   ), slot AS (
     DELETE FROM order_slots s
      USING payment, refund
      WHERE refund.status = 'succeeded' AND payment.amount_refunded = payment.amount_captured
        AND s.account_id = $1::uuid AND s.order_id = payment.order_id AND s.payment_id = payment.id
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT payment.account_id, payment.id, refund.id, e.kind, e.debit, e.credit, e.amount, payment.currency,
            $26::timestamptz
       FROM payment, refund, unnest($13::text[], $14::text[], $15::text[], $16::bigint[]) AS e (kind, debit, credit, amount)
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT account_id, id, event_sequence, $17::text, $18::json
       FROM payment
   ), answer AS (
     INSERT INTO saved_answers (answer_day, account_id, key_hash, status, content_type, location, body)
     SELECT key.answer_day, key.account_id, key.key_hash, $19::smallint, $20::text, $21::text, $22::bytea
       FROM key, refund
   ), resolved AS (
     DELETE FROM unresolved u
      USING key
      WHERE u.account_id = $1::uuid AND u.key_hash = key.key_hash
   )
   SELECT key.payment_id
     FROM key
    WHERE CASE WHEN EXISTS (SELECT 1 FROM payment) THEN true ELSE payonce_refuse('record_whole') END`,
);
