import { statement } from '#postgres/statement.js';
import type { UnresolvedReason } from './payment.js';

/** What a key made, if it made something. */
export const FIND_WORK_OF_KEY = statement<{
  payment_id: string | null;
  operation_id: string | null;
}>(
  'payments.find_work_of_key',
  `SELECT payment_id, operation_id FROM idempotency_keys WHERE account_id = $1 AND key_hash = $2`,
);

/**
 * Why payments are not settled, for those among these ids of which something is under way or waits: the one
 * that works, where another waits for its caller. A refund under way leaves its payment settled.
 */
export const FIND_UNRESOLVED = statement<{ payment_id: string; reason: UnresolvedReason }>(
  'payments.find_unresolved',
  `SELECT DISTINCT ON (o.payment_id) o.payment_id,
          CASE WHEN o.kind = 'charge' THEN '' ELSE o.kind || '_' END
          || CASE
               WHEN k.state IN ('queued', 'released') THEN k.state
               WHEN k.locked_until > payonce_now() THEN 'running'
               ELSE 'unknown'
             END AS reason
     FROM operations o
     JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
    WHERE o.account_id = $1::uuid AND o.payment_id = ANY ($2::uuid[]) AND o.kind <> 'refund'
      AND k.state IN ('started', 'queued', 'released')
    ORDER BY o.payment_id, k.state = 'released', o.id DESC`,
);

export type TimelineRow = {
  at: Date;
  kind: string;
  request_id: string | null;
  attempt_no: number | null;
  detail: string | null;
};

/**
 * Every step of a payment, oldest first, derived from the rows that the steps left. What a capture, a void or a
 * refund did names itself in the detail. A finished key's lease ended in the commit that saved its answer.
 */
export const READ_TIMELINE = statement<TimelineRow>(
  'payments.read_timeline',
  `WITH operation AS (
     SELECT o.*, CASE WHEN o.kind = 'charge' THEN NULL ELSE o.kind END AS named
       FROM operations o
      WHERE o.account_id = $1::uuid AND o.payment_id = $2::uuid
   ), attempt AS (
     SELECT a.*, o.named
       FROM operation o
       JOIN attempts a ON a.account_id = $1::uuid AND a.operation_id = o.id
   ), step AS (
     SELECT k.claimed_at AS at, 1 AS rank, 'claimed' AS kind, k.request_id, NULL::int AS attempt_no,
            k.operation AS detail
       FROM operation o
       JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
     UNION ALL
     SELECT opened_at, 2, 'taken_over', request_id, attempt_no, concat_ws(': ', named, 'by a ' || actor)
       FROM attempt
      WHERE attempt_no > 1
     UNION ALL
     SELECT opened_at, 3, 'attempt_opened', request_id, attempt_no, concat_ws(': ', named, action)
       FROM attempt
     UNION ALL
     SELECT closed_at, 4, 'attempt_' || outcome, request_id, attempt_no,
            nullif(concat_ws(': ', named, detail), '')
       FROM attempt
      WHERE closed_at IS NOT NULL
     UNION ALL
     SELECT e.created_at, 5, e.type, NULL, NULL, NULL
       FROM outbox_events e
      WHERE e.account_id = $1::uuid AND e.payment_id = $2::uuid
     UNION ALL
     SELECT k.locked_until, 6, 'answer_saved', k.request_id, NULL,
            concat_ws(': ', o.named, coalesce('HTTP ' || s.status, 'no longer kept'))
       FROM operation o
       JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
       LEFT JOIN saved_answers s
         ON s.account_id = $1::uuid AND s.key_hash = k.key_hash AND s.answer_day = k.answer_day
      WHERE k.state = 'finished'
   )
   SELECT at, kind, request_id, attempt_no, detail FROM step ORDER BY at, rank, attempt_no`,
);
