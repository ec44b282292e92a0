import { statement } from '#postgres/statement.js';

/** The break that tells of this money, if there is one. */
export const FIND_LATE_SUCCESS = statement<{ id: string; status: 'open' | 'closed' }>(
  'payments.find_late_success',
  `SELECT id, status
     FROM breaks
    WHERE processor_name = $1::text AND kind = 'late_success' AND reference = $2::text`,
);

/**
 * The record step of money that came for a payment which is final: break, suspense entry and event together.
 * Runs under the payment's lock. A second run meets the break, moves nothing, and gets no row.
 *
 * The first charge of a payment has the payment's one `processor_fee`; the fee of any other is its break's.
 *
 * @keeps P4: the entry's source is the break, so that each late success is booked once.
 * @keeps P5: the payment itself stays as it was.
 */
export const RECORD_LATE_SUCCESS = statement<{ id: string }>(
  'payments.record_late_success',
  `WITH opened AS (
     INSERT INTO breaks (
            account_id, payment_id, id, processor_name, kind, reference, severity, amount, currency, first_seen,
            last_seen, details)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4::text, 'late_success', $5::text, 'critical', $6::bigint, $7::text,
             payonce_now(), payonce_now(), $8::json)
     ON CONFLICT ON CONSTRAINT breaks_once DO NOTHING
     RETURNING id
   ), fee AS (
     SELECT EXISTS (
              SELECT 1 FROM ledger_entries
               WHERE account_id = $1::uuid AND payment_id = $2::uuid
                 AND entry_kind IN ('charge', 'capture', 'processor_fee', 'late_success')) AS is_of_break
   ), payment AS (
     UPDATE payments p
        SET event_sequence = event_sequence + 1
       FROM opened
      WHERE p.account_id = $1::uuid AND p.id = $2::uuid
     RETURNING p.event_sequence
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT $1::uuid, $2::uuid, CASE e.kind WHEN 'processor_fee' THEN $2::uuid ELSE opened.id END,
            e.kind, e.debit, e.credit, e.amount, $7::text, payonce_now()
       FROM opened, fee, unnest($9::text[], $10::text[], $11::text[], $12::bigint[]) AS e (kind, debit, credit, amount)
      WHERE e.kind NOT IN ('processor_fee', 'late_success_fee') OR (e.kind = 'late_success_fee') = fee.is_of_break
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT $1::uuid, $2::uuid, payment.event_sequence, 'payment.late_success', $13::json
       FROM payment
   )
   SELECT id
     FROM opened
    WHERE CASE WHEN EXISTS (SELECT 1 FROM payment) THEN true ELSE payonce_refuse('late_success_whole') END`,
);

/** Whose break an id is, to take the payment's lock first. */
export const FIND_BREAK_PAYMENT = statement<{
  account_id: string;
  payment_id: string;
  order_id: string | null;
}>(
  'payments.find_break_payment',
  `SELECT b.account_id, b.payment_id, p.order_id
     FROM breaks b
     JOIN payments p ON p.account_id = b.account_id AND p.id = b.payment_id
    WHERE b.id = $1::uuid`,
);

export type BreakRowFound = {
  kind: string;
  reference: string;
  amount: string;
  currency: string;
  status: 'open' | 'closed';
  refund_ordered_at: Date | null;
};

/** A break of a payment that is locked: nobody closes it, or orders its refund, before the commit. */
export const READ_BREAK = statement<BreakRowFound>(
  'payments.read_break',
  `SELECT kind, reference, amount, currency, status, refund_ordered_at
     FROM breaks
    WHERE account_id = $1::uuid AND payment_id = $2::uuid AND id = $3::uuid
      FOR UPDATE`,
);

/**
 * A person accepts money that came late: payment, order slot, ledger, event and break change together. Runs under
 * the payment's lock. A slot that another payment holds undoes all of it.
 *
 * @keeps P5: the one move out of failed or canceled, and it names the open break that told of the money.
 */
export const ACCEPT_LATE_SUCCESS = statement<{ event_sequence: number }>(
  'payments.accept_late_success',
  `WITH payment AS (
     UPDATE payments
        SET status = 'succeeded', accepted_break_id = $3::uuid, processor_id = $4::text,
            amount_captured = $5::bigint, failure_code = NULL, failure_message = NULL, decline_code = NULL,
            settled_at = $6::timestamptz, event_sequence = event_sequence + 1
      WHERE account_id = $1::uuid AND id = $2::uuid AND status IN ('failed', 'canceled')
     RETURNING account_id, id, order_id, currency, event_sequence
   ), slot AS (
     INSERT INTO order_slots (account_id, order_id, payment_id, taken_at)
     SELECT payment.account_id, payment.order_id, payment.id, $6::timestamptz
       FROM payment
       JOIN accounts a ON a.id = payment.account_id
      WHERE payment.order_id IS NOT NULL AND coalesce(a.order_once, $7::boolean)
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT account_id, id, $3::uuid, $8::text, $9::text, $10::text, $5::bigint, currency, $6::timestamptz
       FROM payment
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT account_id, id, event_sequence, 'payment.succeeded', $11::json
       FROM payment
   ), closed AS (
     UPDATE breaks b
        SET status = 'closed', closed_at = $6::timestamptz, last_seen = $6::timestamptz, closed_by = $12::text,
            reason_code = $13::text, reason = $14::text
       FROM payment
      WHERE b.id = $3::uuid AND b.account_id = $1::uuid AND b.status = 'open'
     RETURNING b.id
   )
   SELECT event_sequence
     FROM payment
    WHERE CASE WHEN EXISTS (SELECT 1 FROM closed) THEN true ELSE payonce_refuse('accept_whole') END`,
);

/** From now on the money is on its way back: nobody accepts it any more. */
export const ORDER_BREAK_REFUND = statement<{ id: string }>(
  'payments.order_break_refund',
  `UPDATE breaks
      SET refund_ordered_at = payonce_now(), last_seen = payonce_now()
    WHERE account_id = $1::uuid AND id = $2::uuid AND status = 'open' AND refund_ordered_at IS NULL
   RETURNING id`,
);

/** How many refunds of this money have ended in failure: the next one is another operation. */
export const COUNT_FAILED_REFUNDS = statement<{ failed: number }>(
  'payments.count_failed_break_refunds',
  `SELECT count(*)::int AS failed
     FROM refunds
    WHERE account_id = $1::uuid AND payment_id = $2::uuid AND break_id = $3::uuid AND status = 'failed'`,
);

/** The mode of a break's account. */
export const FIND_BREAK_MODE = statement<{ mode: 'test' | 'live' }>(
  'payments.find_break_mode',
  `SELECT a.mode
     FROM breaks b
     JOIN accounts a ON a.id = b.account_id
    WHERE b.id = $1::uuid`,
);
