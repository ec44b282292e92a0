/** Tables that are about money, or about what somebody has been told of it. */
export const TABLES = [
  'accounts',
  'payments',
  'order_slots',
  'operations',
  'imported_operations',
  'attempts',
  'idempotency_keys',
  'saved_answers',
  'unresolved',
  'refunds',
  'payment_steps',
  'authorizations',
  'disputes',
  'breaks',
  'ledger_entries',
  'ledger_chain',
  'ledger_shards',
  'ledger_checkpoints',
  'outbox_events',
  'webhook_inbox',
  'audit_log',
];

/** Every row of every one of them, as of one instant. */
export const DUMP = TABLES.map(
  (name) => `SELECT '${name}' AS name, to_jsonb(t) AS row FROM ${name} AS t`,
).join(' UNION ALL ');
