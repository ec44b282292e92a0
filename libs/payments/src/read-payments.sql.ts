import { statement } from '#postgres/statement.js';

/** Which payment a key made, if it made one. */
export const FIND_PAYMENT_OF_KEY = statement<{ payment_id: string }>(
  'payments.find_payment_of_key',
  `SELECT payment_id FROM idempotency_keys WHERE account_id = $1 AND key_hash = $2`,
);

/** Why payments are still pending, for those among these ids that are. */
export const FIND_UNRESOLVED = statement<{
  payment_id: string;
  reason: 'running' | 'unknown' | 'queued' | 'released';
}>(
  'payments.find_unresolved',
  `SELECT o.payment_id,
          CASE
            WHEN k.state IN ('queued', 'released') THEN k.state
            WHEN k.locked_until > payonce_now() THEN 'running'
            ELSE 'unknown'
          END AS reason
     FROM operations o
     JOIN idempotency_keys k ON k.account_id = o.account_id AND k.key_hash = o.key_hash
    WHERE o.account_id = $1 AND o.payment_id = ANY ($2::uuid[]) AND k.state IN ('started', 'queued', 'released')`,
);

export type TimelineRow = {
  at: Date;
  kind: string;
  request_id: string | null;
  attempt_no: number | null;
  detail: string | null;
};

/** Every step of a payment, oldest first, derived from the rows that the steps left. */
export const READ_TIMELINE = statement<TimelineRow>(
  'payments.read_timeline',
  `WITH operation AS (
     SELECT * FROM operations WHERE account_id = $1::uuid AND payment_id = $2::uuid
   ), step AS (
     SELECT k.claimed_at AS at, 1 AS rank, 'claimed' AS kind, k.request_id, NULL::int AS attempt_no,
            k.operation AS detail
       FROM operation o
       JOIN idempotency_keys k ON k.account_id = o.account_id AND k.key_hash = o.key_hash
     UNION ALL
     SELECT a.opened_at, 2, 'taken_over', a.request_id, a.attempt_no, 'by a ' || a.actor
       FROM operation o
       JOIN attempts a ON a.account_id = o.account_id AND a.operation_id = o.id
      WHERE a.attempt_no > 1
     UNION ALL
     SELECT a.opened_at, 3, 'attempt_opened', a.request_id, a.attempt_no, a.action
       FROM operation o
       JOIN attempts a ON a.account_id = o.account_id AND a.operation_id = o.id
     UNION ALL
     SELECT a.closed_at, 4, 'attempt_' || a.outcome, a.request_id, a.attempt_no, a.detail
       FROM operation o
       JOIN attempts a ON a.account_id = o.account_id AND a.operation_id = o.id
      WHERE a.closed_at IS NOT NULL
     UNION ALL
     SELECT e.created_at, 5, e.type, NULL, NULL, NULL
       FROM outbox_events e
      WHERE e.account_id = $1::uuid AND e.payment_id = $2::uuid
     UNION ALL
     SELECT p.settled_at, 6, 'answer_saved', k.request_id, NULL,
            coalesce('HTTP ' || s.status, 'no longer kept')
       FROM operation o
       JOIN idempotency_keys k ON k.account_id = o.account_id AND k.key_hash = o.key_hash
       JOIN payments p ON p.account_id = o.account_id AND p.id = o.payment_id
       LEFT JOIN saved_answers s
         ON s.account_id = k.account_id AND s.key_hash = k.key_hash AND s.answer_day = k.answer_day
      WHERE k.state = 'finished'
   )
   SELECT at, kind, request_id, attempt_no, detail FROM step ORDER BY at, rank, attempt_no`,
);
