import { statement } from '#postgres/statement.js';

/** Reconciliations of one processor are one at a time: this lock ends with the session that holds it. */
export const TAKE_LOCK = statement<{ ours: boolean }>(
  'reconciliation.take_lock',
  `SELECT pg_try_advisory_lock(72619, hashtext($1::text)) AS ours`,
);

export const READ_NOW = statement<{ now: Date; id: string }>(
  'reconciliation.read_now',
  `SELECT payonce_now() AS now, payonce_uuid_v7() AS id`,
);

/** Not one to prepare: the test that prepares every statement knows no stream. */
export const COPY_LINES = {
  name: '',
  text: `COPY report_lines (
     import_id, line, raw, bad_reason, transaction_id, created_at, currency, gross, fee, category, source_id,
     payment_ref, payout_id, account_ref, intent_ref) FROM STDIN`,
};

/** The import of this very file, whether it is the one to believe now or not. */
export const FIND_IMPORT = statement<{ id: string }>(
  'reconciliation.find_import',
  `SELECT id
     FROM report_imports
    WHERE processor_name = $1::text AND report_date = $2::date AND file_sha256 = $3::text`,
);

/** What is believed of a day so far gives way to another file. */
export const SUPERSEDE = statement(
  'reconciliation.supersede',
  `UPDATE report_imports
      SET superseded_at = payonce_now()
    WHERE processor_name = $1::text AND report_date = $2::date AND superseded_at IS NULL AND id <> $3::uuid`,
);

export const STORE_IMPORT = statement(
  'reconciliation.store_import',
  `INSERT INTO report_imports (
          id, processor_name, report_date, file_sha256, source, lines, bad_lines, totals, read_at)
   VALUES ($1::uuid, $2::text, $3::date, $4::text, $5::text, $6::int, $7::int, $8::json, $9::timestamptz)`,
);

/** The same file again: it is the one to believe, and was asked for later than before. */
export const BELIEVE_AGAIN = statement(
  'reconciliation.believe_again',
  `UPDATE report_imports
      SET superseded_at = NULL, read_at = $2::timestamptz
    WHERE id = $1::uuid`,
);

export const LIST_BAD_LINES = statement<{ line: number; reason: string }>(
  'reconciliation.list_bad_lines',
  `SELECT line, bad_reason AS reason
     FROM report_lines
    WHERE import_id = $1::uuid AND bad_reason IS NOT NULL
    ORDER BY line
    LIMIT $2::int`,
);

/** Within these bounds, each run. `client_connection_check_interval`: who breaks off is noticed while a statement runs. */
export const BOUND_SESSION = statement(
  'reconciliation.bound_session',
  `SELECT set_config('work_mem', '96MB', false), set_config('jit', 'off', false),
          set_config('client_connection_check_interval', '1000', false)`,
);

/**
 * Sets against sets: joined by hashing whatever the statistics say, which know nothing yet of a report that has just
 * come. A nested loop over a million lines would take hours. What was set apart is counted, and mostly few: `$1` is on.
 */
export const PLAN_FOR_FEW = statement(
  'reconciliation.plan_for_few',
  `SELECT set_config('enable_nestloop', $1::text, false)`,
);

/** The reports that are believed of the days around one: where a movement may stand that is a day off. */
export const LIST_NEIGHBOURS = statement<{ id: string; is_near: boolean; is_before: boolean }>(
  'reconciliation.list_neighbours',
  `SELECT id, report_date BETWEEN $2::date - 2 AND $2::date + 4 AS is_near, report_date < $2::date AS is_before
     FROM report_imports
    WHERE processor_name = $1::text AND superseded_at IS NULL AND report_date <> $2::date
      AND report_date BETWEEN $2::date - 10 AND $2::date + 4`,
);
