import { statement } from '#postgres/statement.js';
import { FINISHED_KEY } from './finished-key.sql.js';

/**
 * The record step of a capture or a void: as for a charge, key, payment, attempt, ledger, event and saved
 * answer change together or not at all. One that was done moves the authorized payment; one that was refused,
 * or proved not done, leaves it authorized.
 *
 * @keeps P4: a second booking violates the ledger's unique rule and undoes the whole step.
 * @keeps P5: only a started key under our own lease, and only an authorized payment, moves.
 * @keeps P3: the answer's bytes are saved in the commit that makes them true.
 */
export const RECORD_STEP = statement<{ payment_id: string }>(
  'payments.record_step',
  `WITH ${FINISHED_KEY}, payment AS (
     UPDATE payments p
        SET status = CASE WHEN $4::boolean THEN $5::text ELSE p.status END,
            amount_captured = CASE WHEN $4::boolean THEN $6::bigint ELSE p.amount_captured END,
            settled_at = CASE WHEN $4::boolean THEN $7::timestamptz ELSE p.settled_at END,
            event_sequence = p.event_sequence + 1
       FROM key
      WHERE p.account_id = $1::uuid AND p.id = $21::uuid AND p.id = key.payment_id
        AND (p.status = 'authorized' OR NOT $4::boolean)
     RETURNING p.account_id, p.id, p.order_id, p.currency, p.status, p.event_sequence
   ), attempt AS (
     UPDATE attempts a
        SET outcome = $8::text, detail = $9::text, closed_at = payonce_now()
       FROM key, payment
      WHERE a.account_id = $1::uuid AND a.operation_id = $22::uuid AND a.operation_id = key.operation_id
        AND a.attempt_no = $10::int AND a.outcome IS NULL
   ), step AS (
     DELETE FROM payment_steps s
      USING key
      WHERE s.account_id = $1::uuid AND s.payment_id = $21::uuid AND s.operation_id = key.operation_id
   ), authorization_over AS (
     DELETE FROM authorizations a
      USING payment
      WHERE $4::boolean AND a.account_id = $1::uuid AND a.payment_id = payment.id
   ), authorization_doubted AS (
     -- A refused capture may mean that the authorization is gone there: the sweep asks.
     UPDATE authorizations a
        SET due_at = payonce_now()
       FROM payment
      WHERE NOT $4::boolean AND $24::boolean AND a.account_id = $1::uuid AND a.payment_id = payment.id
   ), slot AS (
     DELETE FROM order_slots s
      USING payment
      WHERE $4::boolean AND payment.status = 'canceled'
        AND s.account_id = $1::uuid AND s.order_id = payment.order_id AND s.payment_id = payment.id
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT payment.account_id, payment.id, e.source, e.kind, e.debit, e.credit, e.amount, payment.currency,
            $7::timestamptz
       FROM payment,
            unnest($11::text[], $12::text[], $13::text[], $14::bigint[], $23::uuid[])
              AS e (kind, debit, credit, amount, source)
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT account_id, id, event_sequence, $15::text, $16::json
       FROM payment
   ), answer AS (
     INSERT INTO saved_answers (answer_day, account_id, key_hash, status, content_type, location, body)
     SELECT key.answer_day, key.account_id, key.key_hash, $17::smallint, $18::text, $19::text, $20::bytea
       FROM key, payment
   ), resolved AS (
     DELETE FROM unresolved u
      USING key
      WHERE u.account_id = $1::uuid AND u.key_hash = key.key_hash
   )
   SELECT key.payment_id
     FROM key
    WHERE CASE WHEN EXISTS (SELECT 1 FROM payment) THEN true ELSE payonce_refuse('record_whole') END`,
);
