import { statement } from '#postgres/statement.js';

/**
 * The newest claims, at most $2, that are at least $1 milliseconds old and younger than those of the last pass. Where
 * more have come than that, the older ones of them are left to the slow walk: no pass has to catch up.
 *
 * One walker at a time: a second one finds the mark's row locked and takes nothing.
 */
export const TAKE_NEWEST = statement<{ claim_id: string }>(
  'operations.take_newest_claims',
  `WITH mark AS (
     SELECT mark FROM sweep_marks WHERE name = 'invariants_newest' FOR UPDATE SKIP LOCKED
   ), taken AS MATERIALIZED (
     SELECT k.claim_id
       FROM mark
       CROSS JOIN LATERAL (
              SELECT claim_id FROM idempotency_keys
               WHERE claim_id > mark.mark
                 AND claim_id < payonce_uuid_v7_floor(payonce_now() - $1::int * interval '1 millisecond')
               ORDER BY claim_id DESC
               LIMIT $2::int) AS k
   ), moved AS (
     UPDATE sweep_marks
        SET mark = (SELECT claim_id FROM taken ORDER BY claim_id DESC LIMIT 1)
      WHERE name = 'invariants_newest' AND EXISTS (SELECT 1 FROM taken)
   )
   SELECT claim_id FROM taken ORDER BY claim_id`,
);

/** The next $2 claims of the slow walk through all that are at least $1 milliseconds old; at the end it starts over. */
export const TAKE_PAST = statement<{ claim_id: string }>(
  'operations.take_past_claims',
  `WITH mark AS (
     SELECT mark FROM sweep_marks WHERE name = 'invariants_past' FOR UPDATE SKIP LOCKED
   ), taken AS MATERIALIZED (
     SELECT k.claim_id
       FROM mark
       CROSS JOIN LATERAL (
              SELECT claim_id FROM idempotency_keys
               WHERE claim_id > mark.mark
                 AND claim_id < payonce_uuid_v7_floor(payonce_now() - $1::int * interval '1 millisecond')
               ORDER BY claim_id
               LIMIT $2::int) AS k
   ), next AS (
     SELECT CASE WHEN count(*) < $2::int THEN '00000000-0000-0000-0000-000000000000'
                 ELSE (SELECT claim_id FROM taken ORDER BY claim_id DESC LIMIT 1)
            END AS mark
       FROM taken
   ), moved AS (
     UPDATE sweep_marks AS s
        SET mark = next.mark, started_at = CASE WHEN next.mark < s.mark THEN payonce_now() ELSE s.started_at END
       FROM mark, next
      WHERE s.name = 'invariants_past' AND next.mark <> s.mark
   )
   SELECT claim_id FROM taken ORDER BY claim_id`,
);

/** A rule that some rows break, and what they say. */
export type ViolationRow = {
  invariant: string;
  account_id: string;
  payment_id: string | null;
  /** Of what is wrong with one key; null where it is about the payment. */
  operation_id: string | null;
  /** The claim that was looked at. */
  claim_id: string;
  found: object;
};

/**
 * Keys of the claims $1 that disagree with what they stand for.
 *
 * An answer is looked for as long as it is promised and its day's partition is there: the days that are promised may
 * have been raised since older ones were dropped.
 */
export const CHECK_KEYS = statement<ViolationRow>(
  'operations.check_keys',
  `WITH seen AS MATERIALIZED (
     SELECT k.account_id, k.claim_id, k.payment_id, k.operation_id, k.state, k.answer_day,
            o.kind, o.payment_id = k.payment_id AND o.key_hash = k.key_hash AS operation_is_its_own,
            p.status AS payment_status, p.accepted_break_id IS NOT NULL AS payment_was_accepted,
            r.status AS refund_status, r.processor_id IS NOT NULL AS refund_was_taken,
            k.answer_day >= (payonce_now() AT TIME ZONE 'UTC')::date - settings.answers_days
              AND to_regclass('saved_answers_' || to_char(k.answer_day, 'YYYY_MM_DD')) IS NOT NULL AS answer_is_kept,
            CASE
              WHEN k.answer_day IS NULL THEN
                (SELECT count(*)::int FROM saved_answers a
                  WHERE a.account_id = k.account_id AND a.key_hash = k.key_hash)
              ELSE
                (SELECT count(*)::int FROM saved_answers a
                  WHERE a.account_id = k.account_id AND a.key_hash = k.key_hash AND a.answer_day = k.answer_day)
            END AS answers,
            EXISTS (SELECT 1 FROM payment_steps s
                     WHERE s.account_id = k.account_id AND s.payment_id = k.payment_id
                       AND s.operation_id = k.operation_id) AS is_under_way,
            EXISTS (SELECT 1 FROM attempts a
                     WHERE a.account_id = k.account_id AND a.operation_id = k.operation_id
                       AND a.outcome NOT IN ('not_sent', 'unknown')) AS has_outcome,
            EXISTS (SELECT 1 FROM attempts a
                     WHERE a.account_id = k.account_id AND a.operation_id = k.operation_id
                       AND a.outcome = 'succeeded') AS has_succeeded
       FROM settings
       CROSS JOIN unnest($1::uuid[]) AS taken (claim_id)
       JOIN idempotency_keys k ON k.claim_id = taken.claim_id
       LEFT JOIN payments p ON p.account_id = k.account_id AND p.id = k.payment_id
       LEFT JOIN operations o ON o.account_id = k.account_id AND o.id = k.operation_id
       LEFT JOIN refunds r ON r.account_id = k.account_id AND r.operation_id = k.operation_id
   )
   SELECT rule.invariant, seen.account_id, seen.payment_id, seen.operation_id, seen.claim_id,
          to_jsonb(seen) - ARRAY['account_id', 'payment_id', 'operation_id', 'claim_id'] AS found
     FROM seen
     CROSS JOIN LATERAL (VALUES
       ('key_has_its_operation', seen.operation_id IS NULL OR seen.operation_is_its_own),
       ('finished_key_has_its_answer',
         CASE
           WHEN seen.state <> 'finished' THEN seen.answers = 0
           WHEN seen.answer_is_kept THEN seen.answers = 1
           ELSE true
         END),
       ('finished_key_has_its_outcome',
         CASE
           -- The tombstone of a request that never came, and a cancel's own key.
           WHEN seen.payment_id IS NULL THEN seen.state = 'canceled'
           WHEN seen.operation_id IS NULL THEN
             seen.state = 'finished' AND (seen.payment_status = 'canceled' OR seen.payment_was_accepted)
           WHEN seen.has_outcome AND seen.state <> 'finished' THEN false
           WHEN seen.kind = 'charge' THEN
             CASE seen.state
               WHEN 'finished' THEN seen.payment_status <> 'pending'
               WHEN 'canceled' THEN seen.payment_status = 'canceled' OR seen.payment_was_accepted
               ELSE seen.payment_status = 'pending'
             END
           WHEN seen.kind = 'refund' THEN
             (seen.state = 'finished') = (seen.refund_status <> 'pending' OR seen.refund_was_taken)
           WHEN seen.state <> 'finished' THEN true
           WHEN seen.is_under_way THEN false
           WHEN seen.kind = 'capture' THEN NOT seen.has_succeeded OR seen.payment_status = 'succeeded'
           WHEN seen.kind = 'void' THEN
             NOT seen.has_succeeded OR seen.payment_status = 'canceled' OR seen.payment_was_accepted
           ELSE true
         END)
     ) AS rule (invariant, holds)
    WHERE rule.holds IS NOT TRUE
    ORDER BY seen.claim_id, rule.invariant`,
);

/** The payments of the claims $1, each once. */
const SEEN_PAYMENTS = `seen AS MATERIALIZED (
     SELECT DISTINCT ON (k.account_id, k.payment_id) k.account_id, k.payment_id, k.claim_id
       FROM unnest($1::uuid[]) AS taken (claim_id)
       JOIN idempotency_keys k ON k.claim_id = taken.claim_id
      WHERE k.payment_id IS NOT NULL
      ORDER BY k.account_id, k.payment_id, k.claim_id
   )`;

/** Payments of the claims $1 whose status has not its evidence, its amount, its charge or its events. */
export const CHECK_PAYMENTS = statement<ViolationRow>(
  'operations.check_payments',
  `WITH ${SEEN_PAYMENTS}, payment AS MATERIALIZED (
     SELECT seen.*, p.status, p.processor_id IS NOT NULL AS has_processor_id, p.failure_code, p.settled_at,
            p.amount, p.amount_captured, p.event_sequence, charges.*, events.*
       FROM seen
       JOIN payments p ON p.account_id = seen.account_id AND p.id = seen.payment_id
       CROSS JOIN LATERAL (
              SELECT count(*)::int AS charges,
                     coalesce(bool_and(o.amount = p.amount AND o.currency = p.currency), false) AS charges_agree
                FROM operations o
               WHERE o.account_id = seen.account_id AND o.payment_id = seen.payment_id AND o.kind = 'charge'
            ) AS charges
       CROSS JOIN LATERAL (
              SELECT count(*)::int AS events, coalesce(max(e.sequence), 0) AS last_event,
                     coalesce(bool_or(e.type = 'payment.' || p.status), false) AS status_was_told
                FROM outbox_events e
               WHERE e.account_id = seen.account_id AND e.payment_id = seen.payment_id
            ) AS events
   )
   SELECT rule.invariant, payment.account_id, payment.payment_id, NULL::uuid AS operation_id, payment.claim_id,
          to_jsonb(payment) - ARRAY['account_id', 'payment_id', 'claim_id'] AS found
     FROM payment
     CROSS JOIN LATERAL (VALUES
       ('payment_has_one_charge', payment.charges = 1 AND payment.charges_agree),
       ('status_has_its_evidence',
         CASE payment.status
           WHEN 'pending' THEN true
           WHEN 'authorized' THEN payment.has_processor_id
           WHEN 'succeeded' THEN payment.has_processor_id AND payment.settled_at IS NOT NULL
           WHEN 'failed' THEN payment.failure_code IS NOT NULL AND payment.settled_at IS NOT NULL
           ELSE payment.settled_at IS NOT NULL
         END),
       ('status_has_its_amount', (payment.status = 'succeeded') = (payment.amount_captured > 0)),
       ('status_has_its_event', (payment.status <> 'pending') = payment.status_was_told),
       ('events_are_numbered',
         payment.events = payment.event_sequence AND payment.last_event = payment.event_sequence)
     ) AS rule (invariant, holds)
    WHERE rule.holds IS NOT TRUE
    ORDER BY payment.claim_id, rule.invariant`,
);

/**
 * Payments of the claims $1 whose ledger entries do not add up to their amounts, refunds, disputes and open breaks. $2,
 * $3 and $4 are the kinds of entry with their two accounts; a kind that is not among them is a newer version's.
 */
export const CHECK_LEDGER = statement<ViolationRow>(
  'operations.check_ledger',
  `WITH ${SEEN_PAYMENTS}, payment AS MATERIALIZED (
     SELECT seen.*, p.amount_captured, p.amount_reserved, p.amount_refunded, p.amount_disputed,
            booked.*, refunds.*, disputes.*, breaks.*
       FROM seen
       JOIN payments p ON p.account_id = seen.account_id AND p.id = seen.payment_id
       CROSS JOIN LATERAL (
              SELECT count(*) FILTER (WHERE (l.debit_account, l.credit_account) <> (k.debit, k.credit))::int
                       AS misplaced,
                     count(*) FILTER (WHERE l.entry_kind IN ('charge', 'capture', 'late_success_accepted'))::int
                       AS booked_captures,
                     coalesce(sum(l.amount) FILTER (
                       WHERE l.entry_kind IN ('charge', 'capture', 'late_success_accepted')), 0) AS booked_captured,
                     coalesce(sum(CASE l.entry_kind WHEN 'refund' THEN l.amount WHEN 'refund_failed' THEN -l.amount END), 0)
                       AS booked_refunded,
                     coalesce(sum(CASE l.entry_kind
                                    WHEN 'dispute' THEN l.amount
                                    WHEN 'dispute_excess_settled' THEN l.amount
                                    WHEN 'dispute_won' THEN -l.amount END), 0) AS booked_disputed,
                     coalesce(sum(CASE l.entry_kind
                                    WHEN 'late_success' THEN l.amount
                                    WHEN 'late_success_refund_failed' THEN l.amount
                                    WHEN 'dispute_excess_won' THEN l.amount
                                    WHEN 'dispute_excess_settled' THEN l.amount
                                    WHEN 'late_success_accepted' THEN -l.amount
                                    WHEN 'late_success_refund' THEN -l.amount
                                    WHEN 'dispute_excess' THEN -l.amount END), 0) AS booked_suspense
                FROM ledger_entries l
                LEFT JOIN unnest($2::text[], $3::text[], $4::text[]) AS k (kind, debit, credit)
                  ON k.kind = l.entry_kind
               WHERE l.account_id = seen.account_id AND l.payment_id = seen.payment_id
            ) AS booked
       CROSS JOIN LATERAL (
              -- One that gives back a late success takes from suspense, and nothing from the payment.
              SELECT coalesce(sum(r.amount) FILTER (WHERE r.status = 'succeeded'), 0) AS refunds_succeeded,
                     coalesce(sum(r.amount) FILTER (WHERE r.reserved), 0) AS refunds_reserved,
                     coalesce(sum(r.amount) FILTER (
                       WHERE r.status <> 'failed' AND r.processor_id IS NOT NULL), 0) AS refunds_taken
                FROM refunds r
               WHERE r.account_id = seen.account_id AND r.payment_id = seen.payment_id AND r.break_id IS NULL
            ) AS refunds
       CROSS JOIN LATERAL (
              SELECT coalesce(sum(d.amount) FILTER (WHERE d.status IN ('open', 'lost')), 0) AS disputes_standing,
                     coalesce(sum(d.excess), 0) AS disputes_excess
                FROM disputes d
               WHERE d.account_id = seen.account_id AND d.payment_id = seen.payment_id
            ) AS disputes
       CROSS JOIN LATERAL (
              SELECT coalesce(sum(b.amount) FILTER (WHERE b.kind = 'late_success'), 0) AS open_late_success,
                     coalesce(sum(b.amount) FILTER (WHERE b.kind = 'dispute_excess'), 0) AS open_excess
                FROM breaks b
               WHERE b.account_id = seen.account_id AND b.payment_id = seen.payment_id AND b.status = 'open'
            ) AS breaks
   )
   SELECT rule.invariant, payment.account_id, payment.payment_id, NULL::uuid AS operation_id, payment.claim_id,
          to_jsonb(payment) - ARRAY['account_id', 'payment_id', 'claim_id'] AS found
     FROM payment
     CROSS JOIN LATERAL (VALUES
       ('entries_are_on_their_accounts', payment.misplaced = 0),
       ('captured_is_booked_once',
         payment.booked_captured = payment.amount_captured AND payment.booked_captures <= 1),
       ('refunds_are_booked',
         payment.booked_refunded = payment.refunds_taken
           AND payment.amount_refunded = payment.refunds_succeeded
           AND payment.amount_reserved = payment.refunds_reserved),
       ('refunds_are_within_captured',
         payment.amount_refunded <= payment.amount_reserved
           AND payment.amount_reserved + payment.amount_disputed - payment.disputes_excess <= payment.amount_captured),
       ('disputes_are_booked',
         payment.booked_disputed = payment.disputes_standing - payment.disputes_excess
           AND payment.amount_disputed = payment.disputes_standing),
       ('suspense_is_open_breaks',
         payment.booked_suspense = payment.open_late_success - payment.open_excess
           AND payment.disputes_excess = payment.open_excess)
     ) AS rule (invariant, holds)
    WHERE rule.holds IS NOT TRUE
    ORDER BY payment.claim_id, rule.invariant`,
);
