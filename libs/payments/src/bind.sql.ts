import { statement } from '#postgres/statement.js';
import type { OperationKind } from './operation-kind.js';
import { PAYMENT_COLUMNS, type PaymentColumns } from './payment.sql.js';
import { REFUND_COLUMNS, type RefundColumns } from './refund.sql.js';

export type ImportedRow = PaymentColumns & {
  kind: OperationKind;
  operation_amount: string;
  operation_currency: string;
  key_state: 'started' | 'released' | 'queued' | 'finished' | 'canceled';
  answer_status: number | null;
  answer_content_type: string | null;
  answer_location: string | null;
  answer_body: Buffer | null;
} & (RefundColumns | { refund_id: null });

/** The imported operation that has the key $2 at the processor, and its answer as the import saved it. */
export const FIND_IMPORTED = statement<ImportedRow>(
  'payments.find_imported',
  `SELECT o.kind, o.amount AS operation_amount, o.currency AS operation_currency, k.state AS key_state,
          a.status AS answer_status, a.content_type AS answer_content_type, a.location AS answer_location,
          a.body AS answer_body,${PAYMENT_COLUMNS},${REFUND_COLUMNS}
     FROM imported_operations i
     JOIN operations o ON o.account_id = $1::uuid AND o.id = i.operation_id
     JOIN payments p ON p.account_id = $1::uuid AND p.id = i.payment_id
     JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
     LEFT JOIN refunds r ON r.account_id = $1::uuid AND r.operation_id = i.operation_id
     LEFT JOIN saved_answers a
       ON a.account_id = $1::uuid AND a.key_hash = k.key_hash AND a.answer_day = k.answer_day
    WHERE i.account_id = $1::uuid AND i.processor_key = $2::uuid`,
);

/** A payment that holds its order's slot, as far as its own row tells. */
const LIVE = `(payment.status = 'authorized'
          OR (payment.status = 'succeeded' AND payment.amount_refunded < payment.amount_captured))`;

/**
 * Gives an imported operation the key of the caller who had asked for it: from now on it is as if that claim had
 * never been lost. One statement, by compare-and-set on the key row that the import made ($3 becomes $4), so that of
 * any number of retries one does it. What only the caller knows (order, texts, reason) is filled in, and the answer
 * is saved anew. The order's slot is taken if it is free; else two payments of one order stand side by side, which a
 * break tells.
 *
 * @keeps P1: nothing is claimed and nothing is sent: the key answers from what was charged.
 */
export const BIND_IMPORTED = statement<{ payment_id: string; order_is_taken: boolean }>(
  'payments.bind_imported',
  `WITH key AS (
     UPDATE idempotency_keys
        SET key_hash = $4::bytea, operation = $5::text, fingerprint = $6::bytea,
            fingerprint_version = $7::smallint, request_id = $8::text,
            answer_day = (payonce_now() AT TIME ZONE 'UTC')::date
      WHERE account_id = $1::uuid AND key_hash = $3::bytea AND state = 'finished'
     RETURNING account_id, key_hash, payment_id, operation_id, answer_day
   ), resolved AS (
     DELETE FROM unresolved u
      USING key
      WHERE u.account_id = $1::uuid AND u.key_hash = $3::bytea
   ), bound AS (
     UPDATE imported_operations i
        SET bound_at = payonce_now()
       FROM key
      WHERE i.account_id = $1::uuid AND i.processor_key = $2::uuid
   ), operation AS (
     UPDATE operations o
        SET key_hash = key.key_hash
       FROM key
      WHERE o.account_id = $1::uuid AND o.id = key.operation_id
     RETURNING o.kind
   ), payment AS (
     UPDATE payments p
        SET order_id = $13::text, description = $14::text, metadata = $15::json, payment_method = $16::text
       FROM key, operation
      WHERE p.account_id = $1::uuid AND p.id = key.payment_id AND operation.kind = 'charge'
     RETURNING p.account_id, p.id, p.order_id, p.status, p.amount, p.amount_captured, p.amount_refunded,
               p.currency, p.processor_name, p.processor_id
   ), slot AS (
     INSERT INTO order_slots (account_id, order_id, payment_id, taken_at)
     SELECT account_id, order_id, id, payonce_now()
       FROM payment
      WHERE $17::boolean AND order_id IS NOT NULL AND ${LIVE}
     ON CONFLICT ON CONSTRAINT order_slots_one_live_payment DO NOTHING
     RETURNING payment_id
   ), taken AS (
     INSERT INTO breaks (
            account_id, payment_id, processor_name, kind, reference, severity, amount, currency, first_seen,
            last_seen, details)
     SELECT account_id, id, processor_name, 'duplicate', processor_id, 'critical', amount, currency,
            payonce_now(), payonce_now(), json_build_object('order_id', order_id)
       FROM payment
      WHERE $17::boolean AND order_id IS NOT NULL AND ${LIVE} AND NOT EXISTS (SELECT 1 FROM slot)
     ON CONFLICT ON CONSTRAINT breaks_once DO NOTHING
     RETURNING id
   ), refund AS (
     UPDATE refunds r
        SET reason = $18::text
       FROM key, operation
      WHERE r.account_id = $1::uuid AND r.operation_id = key.operation_id AND operation.kind = 'refund'
   ), answer AS (
     INSERT INTO saved_answers (answer_day, account_id, key_hash, status, content_type, location, body)
     SELECT answer_day, account_id, key_hash, $9::smallint, $10::text, $11::text, $12::bytea
       FROM key
   )
   SELECT key.payment_id, EXISTS (SELECT 1 FROM taken) AS order_is_taken
     FROM key`,
);
