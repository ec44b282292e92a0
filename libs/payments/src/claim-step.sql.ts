import { statement } from '#postgres/statement.js';
import { HOLD, type Hold, IMPORTED, KNOWN } from './recovery.sql.js';
import { KEY_COLUMNS, WINNER, type WinnerColumns, claimedKey } from './claim.sql.js';
import { PAYMENT_COLUMNS, type PaymentColumns } from './payment.sql.js';

/** A payment that something is to be done with, and how its charge is known at the processor. */
export type TargetRow = PaymentColumns & {
  amount_reserved: string;
  charge_key: string;
  processor_account: string;
  /** Voids of it that have ended, one way or the other. */
  voids_ended: number;
  /** The capture or void that is under way. */
  step_kind: 'capture' | 'void' | null;
};

export const FIND_TARGET = statement<TargetRow>(
  'payments.find_target',
  `SELECT ${PAYMENT_COLUMNS}, p.amount_reserved, c.processor_key AS charge_key, c.processor_account,
          (SELECT count(*)::int
             FROM operations v
             JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = v.key_hash
            WHERE v.account_id = $1::uuid AND v.payment_id = p.id AND v.kind = 'void'
              AND k.state = 'finished') AS voids_ended,
          (SELECT o.kind
             FROM payment_steps s
             JOIN operations o ON o.account_id = $1::uuid AND o.id = s.operation_id
            WHERE s.account_id = $1::uuid AND s.payment_id = p.id) AS step_kind
     FROM payments p
     JOIN operations c ON c.account_id = $1::uuid AND c.payment_id = p.id AND c.kind = 'charge'
    WHERE p.account_id = $1::uuid AND p.id = $2::uuid`,
);

export type ClaimStepRow = {
  claimed_operation_id: string | null;
  claimed_at_now: Date | null;
  /** Why the key was not claimed although nobody has it; told beside a winner as well. */
  hold: Hold | null;
  /** Of a refund. */
  claimed_refund_id: string | null;
  claimed_amount: string | null;
} & { [Column in keyof WinnerColumns]: WinnerColumns[Column] | null };

const made = (hold: string) => `made AS MATERIALIZED (
     SELECT date_trunc('milliseconds', payonce_now()) AS now,
            payonce_uuid_v7() AS claim_id, $11::uuid AS payment_id, payonce_uuid_v7() AS operation_id,
            payonce_uuid_v7() AS refund_id, ${hold} AS hold
   ), key AS (
     INSERT INTO idempotency_keys (${KEY_COLUMNS})
     SELECT ${claimedKey('$10', '$21')}
       FROM made
      WHERE hold IS NULL
     ON CONFLICT (account_id, key_hash) DO NOTHING
     RETURNING account_id, key_hash, claim_id, payment_id, operation_id, claimed_at
   )`;

/** Work that is queued is sent later: only when nothing holds it back any more. */
const HELD = `CASE WHEN NOT $21::boolean THEN ${HOLD('$1', '$16')} END`;

/** The operation, its first attempt (work that is queued opens none), and where queued work is found. */
const operation = (actor: 'request' | 'worker') => `operation AS (
     INSERT INTO operations (
            account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
            api_version, rendering_version, amount, currency, attempts_made, send_until, queued, target_id,
            created_at)
     SELECT key.account_id, key.operation_id, key.payment_id, $12::text, key.key_hash, $14::text, $15::text,
            $16::uuid, $17::text, $18::smallint, payment.amount, payment.currency,
            CASE WHEN $21::boolean THEN 0 ELSE 1 END,
            CASE WHEN $21::boolean THEN NULL ELSE claimed_at + $20::bigint * interval '1 millisecond' END,
            $21::boolean, $19::text, claimed_at
       FROM key, payment
   ), attempt AS (
     INSERT INTO attempts (account_id, operation_id, attempt_no, action, actor, request_id, opened_at)
     SELECT account_id, operation_id, 1, 'send', '${actor}', $8::text, claimed_at
       FROM key
      WHERE NOT $21::boolean
   ), due AS (
     INSERT INTO unresolved (account_id, key_hash, claim_id, payment_id, reason, next_try_at, since)
     SELECT account_id, key_hash, claim_id, payment_id, 'queued', claimed_at, claimed_at
       FROM key
      WHERE $21::boolean
   )`;

/**
 * Claims an unseen key for a capture or a void: key row, operation, first attempt and the payment's one place
 * for a step under way, all or none. A place that is taken undoes all, and so does a payment that is not
 * authorized: its row is locked, so what is seen of it is what is there.
 *
 * @keeps P1: the primary key (account_id, key_hash) lets one claim through, across days and for ever.
 * @keeps P5: two steps of one payment are never under way at once.
 */
export const CLAIM_STEP = statement<ClaimStepRow>(
  'payments.claim_step',
  stepClaim(HELD, 'request', ''),
);

/** The same for one that the processor told of and that no row here did: see IMPORT_CHARGE. */
export const IMPORT_STEP = statement<ClaimStepRow>(
  'payments.import_step',
  stepClaim(KNOWN('$1', '$16'), 'worker', `, ${IMPORTED('$16', 'key')}`),
);

function stepClaim(hold: string, actor: 'request' | 'worker', also: string): string {
  return `WITH ${made(hold)}, payment AS MATERIALIZED (
     SELECT p.id, p.status, p.currency, coalesce($13::bigint, p.amount) AS amount
       FROM key
       JOIN payments p ON p.account_id = $1::uuid AND p.id = key.payment_id
        FOR NO KEY UPDATE OF p
   ), ${operation(actor)}, step AS (
     INSERT INTO payment_steps (account_id, payment_id, operation_id, taken_at)
     SELECT account_id, payment_id, operation_id, claimed_at
       FROM key
   )${also}
   SELECT key.operation_id AS claimed_operation_id, key.claimed_at AS claimed_at_now,
          NULL::uuid AS claimed_refund_id, payment.amount AS claimed_amount, made.hold, winner.*
     FROM made
     LEFT JOIN key ON true
     LEFT JOIN payment ON true
     LEFT JOIN LATERAL (${WINNER}) AS winner ON true
    WHERE CASE WHEN key.key_hash IS NULL OR payment.status = 'authorized' THEN true
               ELSE payonce_refuse('payments_authorized') END`;
}

/**
 * Claims an unseen key for a refund: key row, operation, first attempt, refund and reservation, all or none. No
 * amount is all that is left, read from the locked row. The reservation is added unconditionally and refused
 * by the payment's own trigger, which undoes all: a condition here would leave the key claimed for nothing.
 *
 * @keeps P1: the primary key (account_id, key_hash) lets one claim through, across days and for ever.
 * @keeps P6: what is reserved by any number of claims at once never exceeds what was captured and is not disputed.
 */
export const CLAIM_REFUND = statement<ClaimStepRow>(
  'payments.claim_refund',
  refundClaim(HELD, 'request', ''),
);

/** The same for one that the processor told of and that no row here did: see IMPORT_CHARGE. */
export const IMPORT_REFUND = statement<ClaimStepRow>(
  'payments.import_refund',
  refundClaim(KNOWN('$1', '$16'), 'worker', `, ${IMPORTED('$16', 'key')}`),
);

function refundClaim(hold: string, actor: 'request' | 'worker', also: string): string {
  return `WITH ${made(hold)}, payment AS MATERIALIZED (
     SELECT p.id, p.status, p.currency,
            coalesce($13::bigint, p.amount_captured - p.amount_reserved - p.amount_disputed) AS amount
       FROM key
       JOIN payments p ON p.account_id = $1::uuid AND p.id = key.payment_id
        FOR NO KEY UPDATE OF p
   ), ${operation(actor)}, refund AS (
     INSERT INTO refunds (
            account_id, id, payment_id, operation_id, break_id, reserved, status, amount, currency, reason, created_at)
     SELECT key.account_id, made.refund_id, key.payment_id, key.operation_id, $23::uuid, $23::uuid IS NULL,
            'pending', payment.amount, payment.currency, $22::text, key.claimed_at
       FROM made, key, payment
   ), reservation AS (
     UPDATE payments p
        SET amount_reserved = p.amount_reserved + payment.amount
       FROM payment
      WHERE $23::uuid IS NULL AND p.account_id = $1::uuid AND p.id = payment.id
   )${also}
   SELECT key.operation_id AS claimed_operation_id, key.claimed_at AS claimed_at_now,
          made.refund_id AS claimed_refund_id, payment.amount AS claimed_amount, made.hold, winner.*
     FROM made
     LEFT JOIN key ON true
     LEFT JOIN payment ON true
     LEFT JOIN LATERAL (${WINNER}) AS winner ON true
    WHERE CASE WHEN key.key_hash IS NULL OR $23::uuid IS NOT NULL OR payment.status = 'succeeded' THEN true
               ELSE payonce_refuse('payments_succeeded') END`;
}
