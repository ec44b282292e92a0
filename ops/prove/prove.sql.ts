import { type Statement, statement } from '#postgres/statement.js';

/** A clock that the run moves, under everything in SQL, column defaults included. */
export const BEND_TIME: readonly Statement<object>[] = [
  { name: '', text: 'CREATE TABLE test_clock (advance interval NOT NULL)' },
  { name: '', text: `INSERT INTO test_clock VALUES ('0')` },
  { name: '', text: 'GRANT SELECT ON test_clock TO PUBLIC' },
  {
    name: '',
    text: `CREATE OR REPLACE FUNCTION payonce_now() RETURNS timestamptz LANGUAGE sql STABLE
             AS $$ SELECT statement_timestamp() + (SELECT advance FROM public.test_clock) $$;`,
  },
];

export const ADVANCE = statement(
  'prove.advance',
  `UPDATE test_clock SET advance = advance + $1 * interval '1 millisecond'`,
);

export const READ_ACCOUNT = statement<{ id: string }>(
  'prove.read_account',
  'SELECT id FROM accounts WHERE name = $1',
);

/** What somebody still has to come back to: none may be left in the end. What was never sent waits for its caller. */
export const COUNT_UNSETTLED = statement<{
  payments: number;
  keys: number;
  refunds: number;
  unresolved: number;
  inbox: number;
  stored: number;
}>(
  'prove.count_unsettled',
  `SELECT (SELECT count(*) FROM payments p WHERE status = 'pending' AND NOT EXISTS (
             SELECT FROM idempotency_keys k WHERE k.account_id = p.account_id
                AND k.payment_id = p.id AND k.state = 'released'))::int AS payments,
          (SELECT count(*) FROM idempotency_keys WHERE state IN ('started', 'queued'))::int AS keys,
          (SELECT count(*) FROM refunds r WHERE status = 'pending' AND NOT EXISTS (
             SELECT FROM idempotency_keys k WHERE k.account_id = r.account_id
                AND k.operation_id = r.operation_id AND k.state = 'released'))::int AS refunds,
          (SELECT count(*) FROM unresolved u WHERE NOT EXISTS (
             SELECT FROM idempotency_keys k WHERE k.account_id = u.account_id
                AND k.key_hash = u.key_hash AND k.state = 'released'))::int AS unresolved,
          (SELECT count(*) FROM webhook_inbox WHERE state = 'received')::int AS inbox,
          (SELECT count(*) FROM webhook_inbox)::int AS stored`,
);

/** The server's own word on what it would lose in a crash. */
export const READ_DURABILITY = statement<{ fsync: string; commit: string; pages: string }>(
  'prove.read_durability',
  `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
          current_setting('full_page_writes') AS pages`,
);
