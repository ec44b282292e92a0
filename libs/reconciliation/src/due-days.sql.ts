import { statement } from '#postgres/statement.js';

/**
 * Days whose reports are due and have not been read since they were whole: of the last three days that ended so long
 * ago (`$2` hours), the oldest first. Days before the first claim are nobody's.
 */
export const LIST_DUE_DAYS = statement<{ date: string }>(
  'reconciliation.list_due_days',
  `WITH day AS (
     SELECT ((payonce_now() - make_interval(hours => $2::int)) AT TIME ZONE 'UTC')::date - n AS date
       FROM generate_series(1, 3) AS n
   ), ended AS (
     SELECT date, (date + 1)::timestamp AT TIME ZONE 'UTC' AS at
       FROM day
   )
   SELECT to_char(e.date, 'YYYY-MM-DD') AS date
     FROM ended e
    WHERE NOT EXISTS (
            SELECT 1 FROM report_imports i
             WHERE i.processor_name = $1::text AND i.report_date = e.date AND i.superseded_at IS NULL
               AND i.read_at >= e.at + make_interval(hours => $2::int))
      AND EXISTS (
            SELECT 1 FROM idempotency_keys k
             WHERE k.claim_id
                   < (lpad(to_hex(floor(extract(epoch FROM e.at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid)
    ORDER BY e.date`,
);
