import { statement } from '#postgres/statement.js';
import { PAYMENT_COLUMNS, type PaymentColumns } from './payment.sql.js';
import { HOLD, type Hold } from './recovery.sql.js';

export type CancelableRow = PaymentColumns & {
  key_hash: Buffer;
  key_state: 'started' | 'released' | 'queued' | 'finished' | 'canceled';
  now: Date;
};

export type CancelableByKeyRow = Omit<CancelableRow, 'payment_id'> & { payment_id: string | null };

const COLUMNS = `
          k.key_hash, k.state AS key_state, payonce_now() AS now,${PAYMENT_COLUMNS}`;

/** A payment and the state of the key that made it, by the payment's id. */
export const FIND_CANCELABLE_BY_ID = statement<CancelableRow>(
  'payments.find_cancelable_by_id',
  `SELECT ${COLUMNS}
     FROM payments p
     JOIN operations o ON o.account_id = $1::uuid AND o.payment_id = p.id AND o.kind = 'charge'
     JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
    WHERE p.account_id = $1::uuid AND p.id = $2::uuid`,
);

/** The same, by the key. A tombstone has no payment; a key of another operation is not found here. */
export const FIND_CANCELABLE_BY_KEY = statement<CancelableByKeyRow>(
  'payments.find_cancelable_by_key',
  `SELECT ${COLUMNS}
     FROM idempotency_keys k
     LEFT JOIN payments p ON p.account_id = $1::uuid AND p.id = k.payment_id
    WHERE k.account_id = $1::uuid AND k.key_hash = $2::bytea AND k.operation = 'POST /v1/payments'`,
);

/**
 * Cancels a payment of which nothing was sent, by compare-and-set on its key: queued or released, so no
 * attempt is open or unknown. Where the cancel has a key of its own, that key and its answer are written
 * in the same commit; a key that is taken undoes all.
 *
 * @keeps P1: the canceled key answers every later request, so the late original is refused.
 * @keeps P5
 */
export const CANCEL = statement<{ payment_id: string }>(
  'payments.cancel',
  `WITH key AS (
     UPDATE idempotency_keys
        SET state = 'canceled', locked_until = payonce_now()
      WHERE account_id = $1::uuid AND key_hash = $2::bytea
        AND state IN ('queued', 'released')
     RETURNING account_id, key_hash, payment_id
   ), own AS (
     INSERT INTO idempotency_keys (
            account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
            locked_until, lease_token, payment_id, request_id, claimed_at, ends_at, answer_day)
     SELECT account_id, $3::bytea, payonce_uuid_v7(), $4::text, $5::bytea, $6::smallint, 'finished',
            payonce_now(), payonce_random_uuid(), payment_id, $7::text, payonce_now(), payonce_now(),
            (payonce_now() AT TIME ZONE 'UTC')::date
       FROM key
      WHERE $3::bytea IS NOT NULL
     RETURNING account_id, key_hash, answer_day
   ), payment AS (
     UPDATE payments p
        SET status = 'canceled', settled_at = $8::timestamptz, event_sequence = event_sequence + 1
       FROM key
      WHERE p.account_id = $1::uuid AND p.id = key.payment_id
        AND p.status = 'pending'
     RETURNING p.account_id, p.id, p.order_id, p.event_sequence
   ), slot AS (
     DELETE FROM order_slots s
      USING payment
      WHERE s.account_id = $1::uuid AND s.order_id = payment.order_id AND s.payment_id = payment.id
   ), event AS (
     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT account_id, id, event_sequence, 'payment.canceled', $9::json
       FROM payment
   ), answer AS (
     INSERT INTO saved_answers (answer_day, account_id, key_hash, status, content_type, location, body)
     SELECT answer_day, account_id, key_hash, 200, $10::text, NULL, $11::bytea
       FROM own
   ), resolved AS (
     DELETE FROM unresolved u
      USING key
      WHERE u.account_id = $1::uuid AND u.key_hash = key.key_hash
   )
   SELECT key.payment_id
     FROM key
    WHERE CASE WHEN EXISTS (SELECT 1 FROM payment) THEN true ELSE payonce_refuse('cancel_whole') END`,
);

/**
 * A tombstone for a key that nobody has seen: a key row like any other, so that the late original loses to
 * it. None if the key was taken meanwhile, nor where `hold` says that its charge may be, or is, there after all: $6
 * is the key that it would have at the processor.
 */
export const BURY_KEY = statement<{ buried: boolean; hold: Hold | null }>(
  'payments.bury_key',
  `WITH made AS MATERIALIZED (
     SELECT ${HOLD('$1', '$6')} AS hold
   ), key AS (
     INSERT INTO idempotency_keys (
            account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
            locked_until, lease_token, request_id, claimed_at, ends_at)
     SELECT $1::uuid, $2::bytea, payonce_uuid_v7(), 'POST /v1/payments', $3::bytea, $4::smallint, 'canceled',
            payonce_now(), payonce_random_uuid(), $5::text, payonce_now(), payonce_now()
       FROM made
      WHERE hold IS NULL
     ON CONFLICT (account_id, key_hash) DO NOTHING
     RETURNING key_hash
   )
   SELECT key.key_hash IS NOT NULL AS buried, made.hold
     FROM made
     LEFT JOIN key ON true`,
);
