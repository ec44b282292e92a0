import { statement } from '#postgres/statement.js';
import { FINISHED_KEY } from './finished-key.sql.js';

/**
 * The record step: key, payment, attempt, order slot, ledger, event and saved answer change together, in
 * one statement and one commit. Whoever brings the outcome runs this, and only this.
 *
 * Ids that the run knows are parameters, although the key row knows them too: a plan that was cached while
 * the tables were small would else read all rows of an account to find the one that joins.
 *
 * A run whose lease was taken over, or whose payment has moved on, finds no key row to move: no row comes
 * back, and nothing has changed.
 *
 * @keeps P4: the ledger rows are inserted without ON CONFLICT, so a second booking undoes the whole step.
 * @keeps P5: only a started key under our own lease, and only a pending payment, settle.
 * @keeps P3: the answer's bytes are saved in the commit that makes them true.
 * @keeps P10: so is the event that tells of them.
 */
export const RECORD = statement<{ payment_id: string }>(
  'payments.record',
  `WITH ${FINISHED_KEY}, payment AS (
     UPDATE payments p
        SET status = $4::text,
            processor_id = $5::text,
            amount_captured = $6::bigint,
            failure_code = $7::text,
            failure_message = $8::text,
            decline_code = $9::text,
            settled_at = $10::timestamptz,
            event_sequence = event_sequence + 1
       FROM key
      WHERE p.account_id = $1::uuid AND p.id = $24::uuid AND p.id = key.payment_id
        AND p.status = 'pending'
     RETURNING p.account_id, p.id, p.order_id, p.currency, p.status, p.settled_at, p.event_sequence
   ), attempt AS (
     UPDATE attempts a
        SET outcome = $11::text, detail = $12::text, closed_at = payonce_now()
       FROM key, payment
      WHERE a.account_id = $1::uuid AND a.operation_id = $25::uuid AND a.operation_id = key.operation_id
        AND a.attempt_no = $13::int AND a.outcome IS NULL
   ), slot AS (
     DELETE FROM order_slots s
      USING payment
      WHERE s.account_id = $1::uuid AND s.order_id = payment.order_id
        AND s.payment_id = payment.id AND payment.status = 'failed'
   ), authorization_made AS (
     INSERT INTO authorizations (account_id, payment_id, expires_at, due_at)
     SELECT payment.account_id, payment.id, expiry.at, expiry.at
       FROM payment, coalesce($26::timestamptz, payonce_now() + interval '7 days') AS expiry (at)
      WHERE payment.status = 'authorized'
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT payment.account_id, payment.id, payment.id, e.kind, e.debit, e.credit, e.amount,
            payment.currency, payment.settled_at
       FROM payment, unnest($14::text[], $15::text[], $16::text[], $17::bigint[]) AS e (kind, debit, credit, amount)
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT account_id, id, event_sequence, $18::text, $19::json
       FROM payment
   ), answer AS (
     INSERT INTO saved_answers (answer_day, account_id, key_hash, status, content_type, location, body)
     SELECT key.answer_day, key.account_id, key.key_hash, $20::smallint, $21::text, $22::text, $23::bytea
       FROM key, payment
   ), resolved AS (
     DELETE FROM unresolved u
      USING key
      WHERE u.account_id = $1::uuid AND u.key_hash = $2::bytea AND u.key_hash = key.key_hash
   )
   SELECT key.payment_id
     FROM key
    WHERE CASE WHEN EXISTS (SELECT 1 FROM payment) THEN true ELSE payonce_refuse('record_whole') END`,
);

/** What is recorded about an operation, to compare a late outcome with. */
export const FIND_RECORDED = statement<{
  status: string;
  processor_id: string | null;
  amount_captured: string;
  outcome: string | null;
}>(
  'payments.find_recorded',
  `SELECT CASE WHEN o.kind = 'refund' THEN r.status ELSE p.status END AS status,
          CASE WHEN o.kind = 'refund' THEN r.processor_id ELSE p.processor_id END AS processor_id,
          p.amount_captured,
          (SELECT a.outcome
             FROM attempts a
            WHERE a.account_id = $1::uuid AND a.operation_id = $2::uuid
              AND a.outcome NOT IN ('not_sent', 'unknown')
            ORDER BY a.attempt_no
            LIMIT 1) AS outcome
     FROM operations o
     JOIN payments p ON p.account_id = $1::uuid AND p.id = o.payment_id
     LEFT JOIN refunds r ON r.account_id = $1::uuid AND r.operation_id = $2::uuid
    WHERE o.account_id = $1::uuid AND o.id = $2::uuid`,
);
