import { statement } from '#postgres/statement.js';

export type BreakListRow = {
  id: string;
  account_id: string | null;
  payment_id: string | null;
  processor_name: string;
  kind: string;
  reference: string;
  severity: 'info' | 'warning' | 'critical';
  amount: string | null;
  currency: string | null;
  status: 'open' | 'closed';
  first_seen: Date;
  last_seen: Date;
  closed_at: Date | null;
  closed_by: string | null;
  reason_code: string | null;
  reason: string | null;
  refund_ordered_at: Date | null;
  write_off_asked_by: string | null;
  details: object;
};

/** The breaks of one mode, newest first; those that belong to no account are everybody's. One, with `$4`. */
export const LIST_BREAKS = statement<BreakListRow>(
  'operations.list_breaks',
  `SELECT b.id, b.account_id, b.payment_id, b.processor_name, b.kind, b.reference, b.severity, b.amount,
          b.currency, b.status, b.first_seen, b.last_seen, b.closed_at, b.closed_by, b.reason_code, b.reason,
          b.refund_ordered_at, b.write_off_asked_by, b.details
     FROM breaks b
     LEFT JOIN accounts a ON a.id = b.account_id
    WHERE coalesce(a.mode, $1::text) = $1::text
      AND ($3::uuid IS NULL OR b.id < $3::uuid)
      AND ($4::uuid IS NULL OR b.id = $4::uuid)
      AND ($5::text IS NULL OR b.status = $5::text)
    ORDER BY b.id DESC
    LIMIT $2::int`,
);

/** Who did what to a break, and why. It runs in the transaction of the deed. */
export const AUDIT_BREAK = statement(
  'operations.audit_break',
  `INSERT INTO audit_log (mode, actor, action, target, reason, before, after)
   VALUES ($1::text, $2::text, $3::text, 'break:' || $4::text, $5::text, $6::json, $7::json)`,
);
