import { statement } from '#postgres/statement.js';

export const ENABLE_STATEMENT_COUNTS = statement(
  'figures.enable_statement_counts',
  'CREATE EXTENSION IF NOT EXISTS pg_stat_statements',
);

export const FORGET_STATEMENT_COUNTS = statement(
  'figures.forget_statement_counts',
  'SELECT pg_stat_statements_reset() IS NULL AS done',
);

/** Executions by the application's role since the counts were forgotten: each is one round trip. */
export const COUNT_STATEMENTS = statement<{ query: string; calls: number }>(
  'figures.count_statements',
  `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS query, calls::int AS calls
     FROM pg_stat_statements
    WHERE userid = 'payonce_app'::regrole
    ORDER BY calls DESC`,
);

export const COUNT_COMMITS = statement<{ commits: string }>(
  'figures.count_commits',
  'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()',
);

/** Bytes of each table, its indexes aside, and of each index; partitions under their parent. */
export const READ_SIZES = statement<{ name: string; heap: string; indexes: string }>(
  'figures.read_sizes',
  `SELECT coalesce(parent.relname, c.relname) AS name,
          sum(pg_table_size(c.oid))::text AS heap, sum(pg_indexes_size(c.oid))::text AS indexes
     FROM pg_class c
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     LEFT JOIN pg_class parent ON parent.oid = i.inhparent
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    GROUP BY 1
    ORDER BY sum(pg_total_relation_size(c.oid)) DESC`,
);

export const COUNT_PAYMENTS = statement<{ count: number }>(
  'figures.count_payments',
  'SELECT count(*)::int AS count FROM payments',
);

export const SERVER_VERSION = statement<{ version: string }>(
  'figures.server_version',
  `SELECT current_setting('server_version') AS version`,
);

/** Payments without an end, and news that nobody has applied. */
export const COUNT_UNSETTLED = statement<{ count: number }>(
  'figures.count_unsettled',
  `SELECT (SELECT count(*) FROM payments WHERE status = 'pending')::int
          + (SELECT count(*) FROM webhook_inbox WHERE state = 'received')::int AS count`,
);

export const FIND_ACCOUNT = statement<{ id: string }>(
  'figures.find_account',
  'SELECT id FROM accounts WHERE name = $1',
);

export const READ_CLOCK = statement<{ now: Date }>(
  'figures.read_clock',
  'SELECT payonce_now() AS now',
);

export const FIND_PENDING = statement<{ id: string }>(
  'figures.find_pending',
  `SELECT id FROM payments WHERE status = 'pending'`,
);

/** How long after an instant each of these payments was final. */
export const READ_SETTLED = statement<{ after_ms: number }>(
  'figures.read_settled',
  `SELECT (extract(epoch FROM settled_at - $2::timestamptz) * 1000)::float8 AS after_ms
     FROM payments
    WHERE id = ANY ($1::uuid[])`,
);
