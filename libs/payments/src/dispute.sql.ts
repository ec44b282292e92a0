import { statement } from '#postgres/statement.js';
import type { DisputeStatus } from './dispute.js';

export type DisputeRowFound = {
  id: string;
  payment_id: string;
  status: DisputeStatus;
  amount: string;
  excess: string;
  currency: string;
  opened_at: Date;
  closed_at: Date | null;
};

/** A dispute of a payment that is locked: it does not change before the commit. */
export const READ_DISPUTE = statement<DisputeRowFound>(
  'payments.read_dispute',
  `SELECT id, payment_id, status, amount, excess, currency, opened_at, closed_at
     FROM disputes
    WHERE account_id = $1::uuid AND processor_name = $2::text AND processor_id = $3::text`,
);

/** An inquiry is stored and moves nothing. */
export const STORE_INQUIRY = statement(
  'payments.store_inquiry',
  `INSERT INTO disputes (
          account_id, payment_id, id, processor_name, processor_id, status, amount, currency, opened_at)
   VALUES ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, 'inquiry', $6::bigint, $7::text, $8::timestamptz)`,
);

/**
 * The record step of a dispute that opens: dispute, payment, ledger, event and, if it takes more than is left,
 * the break, in one statement. Runs under the payment's lock, behind a reading of the dispute.
 *
 * @keeps P4: no ON CONFLICT on the ledger: a second booking undoes the whole step.
 */
export const OPEN_DISPUTE = statement<{ event_sequence: number }>(
  'payments.open_dispute',
  `WITH dispute AS (
     INSERT INTO disputes AS known (
            account_id, payment_id, id, processor_name, processor_id, status, amount, excess, currency, opened_at)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, 'open', $6::bigint, $7::bigint, $8::text,
             $9::timestamptz)
     ON CONFLICT ON CONSTRAINT disputes_once DO UPDATE
        SET status = 'open', amount = EXCLUDED.amount, excess = EXCLUDED.excess, opened_at = EXCLUDED.opened_at
      WHERE known.status = 'inquiry'
     RETURNING known.id
   ), payment AS (
     UPDATE payments p
        SET amount_disputed = amount_disputed + $6::bigint, event_sequence = event_sequence + 1
       FROM dispute
      WHERE p.account_id = $1::uuid AND p.id = $2::uuid
     RETURNING p.event_sequence
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT $1::uuid, $2::uuid, dispute.id, e.kind, e.debit, e.credit, e.amount, $8::text, $9::timestamptz
       FROM dispute, unnest($10::text[], $11::text[], $12::text[], $13::bigint[]) AS e (kind, debit, credit, amount)
   ), excess AS (
     INSERT INTO breaks (
            account_id, payment_id, processor_name, kind, reference, severity, amount, currency, first_seen,
            last_seen, details)
     SELECT $1::uuid, $2::uuid, $4::text, 'dispute_excess', $5::text, 'critical', $7::bigint, $8::text,
            payonce_now(), payonce_now(), json_build_object('dispute_id', dispute.id, 'disputed', $6::bigint)
       FROM dispute
      WHERE $7::bigint > 0
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT $1::uuid, $2::uuid, event_sequence, 'dispute.opened', $14::json
       FROM payment
   )
   SELECT event_sequence
     FROM payment
    WHERE EXISTS (SELECT 1 FROM dispute)`,
);

/**
 * The record step of a dispute that ends. Won gives back each part to where it stands, closes the break and lowers
 * what is disputed; lost changes the status alone, since the money has gone. Under the payment's lock.
 */
export const CLOSE_DISPUTE = statement<{ event_sequence: number }>(
  'payments.close_dispute',
  `WITH dispute AS (
     UPDATE disputes
        SET status = $4::text, closed_at = $5::timestamptz,
            excess = CASE $4::text WHEN 'won' THEN 0 ELSE excess END
      WHERE account_id = $1::uuid AND id = $3::uuid AND status IN ('open', 'lost') AND status <> $4::text
     RETURNING id, amount, currency, processor_name, processor_id
   ), payment AS (
     UPDATE payments p
        SET amount_disputed = amount_disputed - CASE $4::text WHEN 'won' THEN dispute.amount ELSE 0 END,
            event_sequence = event_sequence + 1
       FROM dispute
      WHERE p.account_id = $1::uuid AND p.id = $2::uuid
     RETURNING p.event_sequence
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT $1::uuid, $2::uuid, dispute.id, e.kind, e.debit, e.credit, e.amount, dispute.currency, $5::timestamptz
       FROM dispute, unnest($6::text[], $7::text[], $8::text[], $9::bigint[]) AS e (kind, debit, credit, amount)
   ), settled AS (
     UPDATE breaks b
        SET status = 'closed', closed_at = $5::timestamptz, last_seen = $5::timestamptz, closed_by = 'payonce',
            reason_code = 'dispute_won'
       FROM dispute
      WHERE b.processor_name = dispute.processor_name AND b.kind = 'dispute_excess'
        AND b.reference = dispute.processor_id AND b.status = 'open' AND $4::text = 'won'
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT $1::uuid, $2::uuid, event_sequence, 'dispute.' || $4::text, $10::json
       FROM payment
   )
   SELECT event_sequence
     FROM payment`,
);

/**
 * Takes as much of the payment's disputes out of suspense as there is room for now, the oldest first: what is left
 * of the captured money when refunds, and the disputes that stand against the merchant, are taken from it.
 * Breaks whose excess is gone close. Runs under the payment's lock; books one entry, under the id of what made room.
 */
export const SETTLE_EXCESS = statement<{ amount: string }>(
  'payments.settle_excess',
  `WITH standing AS (
     SELECT d.id, d.excess, d.currency, d.processor_name, d.processor_id,
            sum(d.excess) OVER () AS all_excess,
            sum(d.excess) OVER (ORDER BY d.opened_at, d.id) - d.excess AS before_it
       FROM disputes d
      WHERE d.account_id = $1::uuid AND d.payment_id = $2::uuid AND d.excess > 0
   ), taken AS (
     SELECT s.*,
            least(s.excess, greatest(0,
              p.amount_captured - p.amount_reserved - (p.amount_disputed - s.all_excess) - s.before_it))::bigint AS amount
       FROM standing s
       JOIN payments p ON p.account_id = $1::uuid AND p.id = $2::uuid
   ), dispute AS (
     UPDATE disputes d
        SET excess = d.excess - taken.amount
       FROM taken
      WHERE d.account_id = $1::uuid AND d.id = taken.id AND taken.amount > 0
     RETURNING d.processor_name, d.processor_id, d.currency, d.excess, taken.amount
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT $1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::text, sum(amount), currency, payonce_now()
       FROM dispute
      GROUP BY currency
     RETURNING amount
   ), settled AS (
     UPDATE breaks b
        SET last_seen = payonce_now(),
            amount = CASE dispute.excess WHEN 0 THEN b.amount ELSE dispute.excess END,
            status = CASE dispute.excess WHEN 0 THEN 'closed' ELSE b.status END,
            closed_at = CASE dispute.excess WHEN 0 THEN payonce_now() END,
            closed_by = CASE dispute.excess WHEN 0 THEN 'payonce' END,
            reason_code = CASE dispute.excess WHEN 0 THEN 'excess_settled' END
       FROM dispute
      WHERE b.processor_name = dispute.processor_name AND b.kind = 'dispute_excess'
        AND b.reference = dispute.processor_id AND b.status = 'open'
   )
   SELECT amount
     FROM booked`,
);
