import { statement } from '#postgres/statement.js';
import { HOLD, type Hold, IMPORTED, KNOWN, RECOVERING } from './recovery.sql.js';

/** The key as whoever came first left it, with the answer if it is still kept. */
export type WinnerColumns = {
  state: 'started' | 'released' | 'queued' | 'finished' | 'canceled';
  operation: string;
  fingerprint: Buffer;
  fingerprint_version: number;
  /** A lease is held now, by the database's clock. */
  running: boolean;
  /** The key's end has come: released work can no longer be sent. */
  ended: boolean;
  lease_token: string;
  /** Null on a tombstone: canceled before its request came. */
  payment_id: string | null;
  operation_id: string | null;
  request_id: string;
  claimed_at: Date;
  now: Date;
  /** Nothing may be sent now: what a restore has lost is being imported. */
  recovering: boolean;
  answer_status: number | null;
  answer_content_type: string | null;
  answer_location: string | null;
  answer_body: Buffer | null;
};

/** The key of $1 and $2, beside the statement's own rows. */
export const WINNER = `
  SELECT k.state, k.operation, k.fingerprint, k.fingerprint_version,
         k.state = 'started' AND k.locked_until > payonce_now() AS running,
         k.ends_at <= payonce_now() AS ended,
         k.lease_token, k.payment_id, k.operation_id, k.request_id, k.claimed_at,
         payonce_now() AS now, ${RECOVERING} AS recovering,
         a.status AS answer_status, a.content_type AS answer_content_type,
         a.location AS answer_location, a.body AS answer_body
    FROM idempotency_keys k
    LEFT JOIN saved_answers a
      ON a.account_id = k.account_id AND a.key_hash = k.key_hash AND a.answer_day = k.answer_day
   WHERE k.account_id = $1 AND k.key_hash = $2`;

/** Reads a key. No row means read again or claim, never "unseen": only the claim itself may say that. */
export const FIND_KEY = statement<WinnerColumns>('payments.find_key', WINNER);

export type ClaimRow = {
  claimed_payment_id: string | null;
  claimed_operation_id: string | null;
  claimed_at_now: Date | null;
  /** Why the key was not claimed although nobody has it; told beside a winner as well. */
  hold: Hold | null;
} & { [Column in keyof WinnerColumns]: WinnerColumns[Column] | null };

export const KEY_COLUMNS = `
            account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
            locked_until, lease_token, owner, payment_id, operation_id, request_id, claimed_at, ends_at`;

/** A key row as every claim writes it: $1 to $9, and where the claim has its owner and whether it is queued. */
export function claimedKey(owner: string, queued: string): string {
  return `$1::uuid, $2::bytea, claim_id, $3::text, $4::bytea, $5::smallint,
            CASE WHEN ${queued}::boolean THEN 'queued' ELSE 'started' END,
            now + CASE WHEN ${queued}::boolean THEN 0 ELSE $6::int END * interval '1 millisecond',
            $7::uuid, ${owner}::int, payment_id, operation_id, $8::text, now,
            now + $9::int * interval '1 day'`;
}

/**
 * Claims an unseen key: key row, pending payment, order slot, operation and first attempt, all or none,
 * in one statement and one commit. A queued claim opens no attempt: a worker does, when it takes it up.
 * On a key that is taken it changes nothing and returns the winner in
 * the same round trip; a winner that committed while we waited is not in our snapshot: then every column
 * is null and the caller reads again. While the database recovers, and for a charge that was imported, nothing
 * is claimed and `hold` says why.
 *
 * @keeps P1: the primary key (account_id, key_hash) lets one claim through, across days and for ever.
 * @keeps P8: the key is looked up within its account.
 */
export const CLAIM = statement<ClaimRow>(
  'payments.claim',
  chargeClaim(HOLD('$1', '$20'), 'request', ''),
);

/**
 * The same for a charge that the processor told of and that no row here did: it was sent by somebody, so its attempt
 * is open, and the limit for sending it is over. It is found again by the key that it has there.
 *
 * @keeps P1: whatever becomes of this run, nobody ever sends it.
 */
export const IMPORT_CHARGE = statement<ClaimRow>(
  'payments.import_charge',
  chargeClaim(KNOWN('$1', '$20'), 'worker', `, ${IMPORTED('$20', 'key')}`),
);

function chargeClaim(hold: string, actor: 'request' | 'worker', also: string): string {
  return `WITH made AS MATERIALIZED (
     SELECT date_trunc('milliseconds', payonce_now()) AS now,
            payonce_uuid_v7() AS claim_id, payonce_uuid_v7() AS payment_id, payonce_uuid_v7() AS operation_id,
            ${hold} AS hold
   ), key AS (
     INSERT INTO idempotency_keys (${KEY_COLUMNS})
     SELECT ${claimedKey('$24', '$25')}
       FROM made
      WHERE hold IS NULL
     ON CONFLICT (account_id, key_hash) DO NOTHING
     RETURNING account_id, key_hash, claim_id, payment_id, operation_id, claimed_at
   ), payment AS (
     INSERT INTO payments (
            account_id, id, status, amount, currency, payment_method, order_id, description, metadata,
            capture, processor_name, created_at)
     SELECT account_id, payment_id, 'pending', $10::bigint, $11::text, $12::text, $13::text, $14::text,
            $15::json, $16::text, $17::text, claimed_at
       FROM key
   ), slot AS (
     INSERT INTO order_slots (account_id, order_id, payment_id, taken_at)
     SELECT account_id, $13::text, payment_id, claimed_at
       FROM key
      WHERE $13::text IS NOT NULL AND $18::boolean
   ), operation AS (
     INSERT INTO operations (
            account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
            api_version, rendering_version, amount, currency, attempts_made, send_until, queued,
            created_at)
     SELECT account_id, operation_id, payment_id, 'charge', key_hash, $17::text, $19::text, $20::uuid,
            $21::text, $22::smallint, $10::bigint, $11::text, CASE WHEN $25::boolean THEN 0 ELSE 1 END,
            CASE WHEN $25::boolean THEN NULL ELSE claimed_at + $23::bigint * interval '1 millisecond' END,
            $25::boolean, claimed_at
       FROM key
   ), attempt AS (
     INSERT INTO attempts (account_id, operation_id, attempt_no, action, actor, request_id, opened_at)
     SELECT account_id, operation_id, 1, 'send', '${actor}', $8::text, claimed_at
       FROM key
      WHERE NOT $25::boolean
   ), due AS (
     INSERT INTO unresolved (account_id, key_hash, claim_id, payment_id, reason, next_try_at, since)
     SELECT account_id, key_hash, claim_id, payment_id, 'queued', claimed_at, claimed_at
       FROM key
      WHERE $25::boolean
   )${also}
   SELECT key.payment_id AS claimed_payment_id, key.operation_id AS claimed_operation_id,
          key.claimed_at AS claimed_at_now, made.hold, winner.*
     FROM made
     LEFT JOIN key ON true
     LEFT JOIN LATERAL (${WINNER}) AS winner ON true`;
}

/** Who holds the slot of an order. */
export const FIND_SLOT_HOLDER = statement<{ payment_id: string; status: string }>(
  'payments.find_slot_holder',
  `SELECT s.payment_id, p.status
     FROM order_slots s
     JOIN payments p ON p.account_id = s.account_id AND p.id = s.payment_id
    WHERE s.account_id = $1 AND s.order_id = $2`,
);
