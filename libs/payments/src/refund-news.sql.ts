import { statement } from '#postgres/statement.js';
import { REFUND_COLUMNS, type RefundColumns } from './refund.sql.js';

export type RefundTarget = RefundColumns & {
  key_hash: Buffer;
  key_state: 'started' | 'released' | 'queued' | 'finished' | 'canceled';
  /** A lease is held now, by the database's clock. */
  running: boolean;
  /** The key's end has come. */
  ended: boolean;
};

/** The refund that an event names, by our own references in its metadata. Rows and nulls as of a charge. */
export const FIND_REFUND_TARGET = statement<RefundTarget | { refund_id: null }>(
  'payments.find_refund_target',
  `SELECT ${REFUND_COLUMNS}, k.key_hash, k.state AS key_state,
          k.state = 'started' AND k.locked_until > payonce_now() AS running,
          k.ends_at <= payonce_now() AS ended
     FROM accounts a
     LEFT JOIN operations o
       ON o.account_id = $1::uuid AND o.processor_key = $2::uuid AND o.processor_name = $3::text
          AND o.kind = 'refund'
     LEFT JOIN refunds r ON r.account_id = $1::uuid AND r.operation_id = o.id
     LEFT JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
    WHERE a.id = $1::uuid`,
);

/** A refund of a payment that is locked; what moves it later than its record step does so under that lock. */
export const READ_REFUND = statement<RefundColumns & { reserved: boolean }>(
  'payments.read_refund',
  `SELECT ${REFUND_COLUMNS}, r.reserved
     FROM refunds r
    WHERE r.account_id = $1::uuid AND r.id = $2::uuid
      FOR UPDATE`,
);

/**
 * The record step of what becomes of a refund that the processor had taken: it succeeds, or fails after all, even
 * if it had succeeded. Refund, payment, ledger, event, order slot and breaks change together, under the payment's
 * lock. Its key was finished when the processor took it, and goes on replaying that answer.
 *
 * @keeps P4: no ON CONFLICT on the ledger: a second booking undoes the whole step.
 * @keeps P5: only a refund that is still as it was read moves.
 */
export const RECORD_REFUND_NEWS = statement<{ event_sequence: number }>(
  'payments.record_refund_news',
  `WITH refund AS (
     UPDATE refunds
        SET status = $4::text, failure_code = $5::text, failure_message = $6::text, settled_at = $7::timestamptz,
            reserved = reserved AND $4::text <> 'failed'
      WHERE account_id = $1::uuid AND id = $3::uuid AND status = $8::text
     RETURNING id, currency, break_id
   ), payment AS (
     UPDATE payments p
        SET amount_reserved = amount_reserved - $9::bigint, amount_refunded = amount_refunded + $10::bigint,
            event_sequence = event_sequence + 1
       FROM refund
      WHERE p.account_id = $1::uuid AND p.id = $2::uuid
     RETURNING p.id, p.order_id, p.amount_captured, p.amount_refunded, p.event_sequence
   ), slot AS (
     DELETE FROM order_slots s
      USING payment
      WHERE $4::text = 'succeeded' AND payment.amount_captured > 0
        AND payment.amount_refunded = payment.amount_captured
        AND s.account_id = $1::uuid AND s.order_id = payment.order_id AND s.payment_id = payment.id
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT $1::uuid, $2::uuid, refund.id, e.kind, e.debit, e.credit, e.amount, refund.currency, $7::timestamptz
       FROM refund, unnest($11::text[], $12::text[], $13::text[], $14::bigint[]) AS e (kind, debit, credit, amount)
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT $1::uuid, $2::uuid, event_sequence, 'refund.' || $4::text, $15::json
       FROM payment
   ), reopened AS (
     UPDATE breaks b
        SET status = 'open', closed_at = NULL, closed_by = NULL, reason_code = NULL, reason = NULL,
            refund_ordered_at = NULL, last_seen = $7::timestamptz
       FROM refund
      WHERE $4::text = 'failed' AND b.id = refund.break_id AND b.account_id = $1::uuid
   ), late AS (
     INSERT INTO breaks (
            account_id, payment_id, processor_name, kind, reference, severity, amount, currency, first_seen,
            last_seen, details)
     SELECT $1::uuid, $2::uuid, $16::text, 'refund_failed_late', $17::text, 'warning', $18::bigint, refund.currency,
            $7::timestamptz, $7::timestamptz,
            json_build_object('refund_id', refund.id, 'order_held_by', $19::uuid)
       FROM refund
      WHERE $19::uuid IS NOT NULL
   )
   SELECT event_sequence
     FROM payment`,
);
