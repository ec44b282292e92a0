import { statement } from '#postgres/statement.js';

/** How an operation stands, as the audit log keeps it. */
export const STANDING = `json_build_object(
            'in_review', u.review_at IS NOT NULL, 'kind', o.kind, 'payment_id', p.id, 'payment_status', p.status,
            'refund_id', r.id, 'refund_status', r.status,
            'processor_id', CASE WHEN o.kind = 'refund' THEN r.processor_id ELSE p.processor_id END,
            'tries', u.tries, 'reason', u.reason)`;

export type ReviewRow = {
  operation_id: string;
  kind: string;
  account_id: string;
  payment_id: string;
  refund_id: string | null;
  amount: string;
  currency: string;
  since: Date;
  review_at: Date;
  tries: number;
  reason: string;
  attempts_made: number;
  processor_name: string;
  target_id: string | null;
};

/**
 * What lies in the review queue for one mode, oldest first: every operation that a person should look at, of
 * whatever kind. Across accounts, and for operators alone; `unresolved` is small.
 */
export const LIST_REVIEWS = statement<ReviewRow>(
  'operations.list_reviews',
  `SELECT o.id AS operation_id, o.kind, o.account_id, o.payment_id, r.id AS refund_id, o.amount, o.currency,
          u.since, u.review_at, u.tries, u.reason, o.attempts_made, o.processor_name,
          coalesce(o.target_id, p.processor_id) AS target_id
     FROM unresolved u
     JOIN accounts a ON a.id = u.account_id
     JOIN idempotency_keys k ON k.account_id = u.account_id AND k.key_hash = u.key_hash
     JOIN operations o ON o.account_id = u.account_id AND o.id = k.operation_id
     JOIN payments p ON p.account_id = u.account_id AND p.id = o.payment_id
     LEFT JOIN refunds r ON r.account_id = u.account_id AND r.operation_id = o.id
    WHERE a.mode = $1::text AND u.review_at IS NOT NULL AND k.state = 'started'
      AND ($3::uuid IS NULL OR o.id > $3::uuid)
      AND ($4::uuid IS NULL OR o.id = $4::uuid)
    ORDER BY o.id
    LIMIT $2::int`,
);

export type AttemptRow = {
  operation_id: string;
  attempt_no: number;
  action: string;
  actor: string;
  outcome: string | null;
  detail: string | null;
  opened_at: Date;
  closed_at: Date | null;
};

/** The latest attempts of each of these operations, oldest first: one that lies there for long has hundreds. */
export const READ_ATTEMPTS = statement<AttemptRow>(
  'operations.read_attempts',
  `SELECT latest.*
     FROM unnest($1::uuid[], $2::uuid[]) AS asked (account_id, operation_id)
     CROSS JOIN LATERAL (
            SELECT operation_id, attempt_no, action, actor, outcome, detail, opened_at, closed_at
              FROM attempts
             WHERE account_id = asked.account_id AND operation_id = asked.operation_id
             ORDER BY attempt_no DESC
             LIMIT $3::int) AS latest
    ORDER BY latest.operation_id, latest.attempt_no`,
);

export type ReviewedRow = {
  account_id: string;
  payment_id: string;
  key_hash: Buffer;
  in_review: boolean;
  /** Somebody holds its lease now. */
  running: boolean;
};

/** One operation of one mode, in review or not. Each account is asked by the primary key. */
export const FIND_REVIEWED = statement<ReviewedRow>(
  'operations.find_reviewed',
  `SELECT o.account_id, o.payment_id, o.key_hash,
          k.state = 'started' AND u.review_at IS NOT NULL AS in_review,
          k.state = 'started' AND k.locked_until > payonce_now() AS running
     FROM accounts a
     CROSS JOIN LATERAL (
            SELECT * FROM operations WHERE account_id = a.id AND id = $2::uuid LIMIT 1) AS o
     JOIN idempotency_keys k ON k.account_id = o.account_id AND k.key_hash = o.key_hash
     LEFT JOIN unresolved u ON u.account_id = o.account_id AND u.key_hash = o.key_hash
    WHERE a.mode = $1::text`,
);

/** How it stands now, for whoever holds its lease: nobody else moves it meanwhile. */
export const READ_STANDING = statement<{ standing: object }>(
  'operations.read_standing',
  `SELECT ${STANDING} AS standing
     FROM operations o
     JOIN payments p ON p.account_id = o.account_id AND p.id = o.payment_id
     LEFT JOIN refunds r ON r.account_id = o.account_id AND r.operation_id = o.id
     LEFT JOIN unresolved u ON u.account_id = o.account_id AND u.key_hash = o.key_hash
    WHERE o.account_id = $1::uuid AND o.id = $2::uuid`,
);
