import { statement } from '#postgres/statement.js';
import { STANDING } from './reviews.sql.js';

/**
 * The audit row of what was done to one operation. It runs in the transaction of the deed and reads there what
 * the deed has left. No row back: there is no such operation, and the deed may not stand either.
 */
export const AUDIT_OPERATION = statement<{ id: string }>(
  'operations.audit_operation',
  `INSERT INTO audit_log (mode, actor, action, target, reason, before, after)
   SELECT a.mode, $3::text, $4::text, 'operation:' || o.id, $5::text, $6::json, ${STANDING}
     FROM operations o
     JOIN accounts a ON a.id = o.account_id
     JOIN payments p ON p.account_id = o.account_id AND p.id = o.payment_id
     LEFT JOIN refunds r ON r.account_id = o.account_id AND r.operation_id = o.id
     LEFT JOIN unresolved u ON u.account_id = o.account_id AND u.key_hash = o.key_hash
    WHERE o.account_id = $1::uuid AND o.id = $2::uuid
   RETURNING id`,
);

export type AuditRow = {
  id: string;
  at: Date;
  actor: string;
  action: string;
  target: string;
  reason: string;
  before: object;
  after: object;
};

/** The acts of one mode, newest first. */
export const LIST_AUDIT = statement<AuditRow>(
  'operations.list_audit',
  `SELECT id, at, actor, action, target, reason, before, after
     FROM audit_log
    WHERE mode = $1::text AND ($3::uuid IS NULL OR id < $3::uuid)
    ORDER BY id DESC
    LIMIT $2::int`,
);
