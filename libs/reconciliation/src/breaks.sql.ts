import { statement } from '#postgres/statement.js';

/**
 * How bad: what a major unit or less is about is `info`, up to a hundred `warning`, and more `critical` (in currencies
 * of two decimals; the limits are minor units). It grows with age, and a duplicate has charged somebody twice.
 */
const severity = (amount: string, kind: string, firstSeen: string) => `
  CASE WHEN ${kind} = 'duplicate' OR coalesce(${amount}, 0) > 10000 OR payonce_now() - ${firstSeen} >= interval '10 days'
       THEN 'critical'
       WHEN coalesce(${amount}, 0) > 100 OR payonce_now() - ${firstSeen} >= interval '3 days' THEN 'warning'
       ELSE 'info' END`;

/** What people did with a break holds while both sides say what they saw. */
const AS_SEEN = `known.closed_by IS DISTINCT FROM 'payonce' AND known.details::text = EXCLUDED.details::text`;
const ifAsSeen = (column: string) => `${column} = CASE WHEN ${AS_SEEN} THEN known.${column} END`;

/**
 * Each finding becomes a break, or is one already. One that closed by itself is opened again; one that a person has
 * closed, or asked to write off, stays so, unless it is no longer what that person saw.
 */
export const OPEN_BREAKS = statement(
  'reconciliation.open_breaks',
  `INSERT INTO breaks AS known (
          account_id, payment_id, processor_name, kind, reference, severity, amount, currency, first_seen, last_seen,
          details, report_date)
   SELECT account_id, payment_id, $3::text, kind, reference, ${severity('amount', 'kind', 'payonce_now()')},
          amount, CASE WHEN amount IS NOT NULL THEN currency END, payonce_now(), payonce_now(),
          json_build_object('ours', ours, 'theirs', theirs), $2::date
     FROM report_findings
    WHERE import_id = $1::uuid
    ORDER BY kind, reference
   ON CONFLICT ON CONSTRAINT breaks_once DO UPDATE
      SET account_id = EXCLUDED.account_id, payment_id = EXCLUDED.payment_id, amount = EXCLUDED.amount,
          currency = EXCLUDED.currency, last_seen = EXCLUDED.last_seen, details = EXCLUDED.details,
          report_date = EXCLUDED.report_date,
          severity = ${severity('EXCLUDED.amount', 'known.kind', 'known.first_seen')},
          status = CASE WHEN ${AS_SEEN} THEN known.status ELSE 'open' END,
          ${['closed_at', 'closed_by', 'reason_code', 'reason', 'write_off_asked_by'].map(ifAsSeen).join(', ')}`,
);

/**
 * What the day's report no longer shows is gone, and closes. So does what was missing there (`theirs` is null) and stands
 * in this report after all: that very movement, and no other line of its payment. A dispute or refund and what took it
 * back have one name, and opposite signs. Only kinds of reconciliation's own (`$4`), and only of this processor and day.
 */
export const CLOSE_GONE = statement(
  'reconciliation.close_gone',
  `WITH shown AS (
     SELECT b.id
       FROM breaks b
       JOIN report_lines l ON l.import_id = $1::uuid AND l.payment_ref = b.reference AND l.category = 'charge'
      WHERE b.processor_name = $3::text AND b.status = 'open' AND b.kind = 'missing_there'
      UNION
     SELECT b.id
       FROM breaks b
       JOIN report_lines l ON l.import_id = $1::uuid AND l.source_id = b.reference AND l.category <> 'charge'
      WHERE b.processor_name = $3::text AND b.status = 'open' AND b.kind IN ('missing_there', 'refund')
        AND b.details->>'theirs' IS NULL AND sign(l.gross) = sign((b.details->'ours'->>'amount')::bigint)
   )
   UPDATE breaks b
      SET status = 'closed', closed_at = payonce_now(), closed_by = 'payonce', reason_code = 'gone', reason = NULL,
          write_off_asked_by = NULL
    WHERE b.processor_name = $3::text AND b.status = 'open' AND b.kind = ANY($4::text[])
      AND (b.report_date = $2::date OR b.id IN (SELECT id FROM shown))
      AND NOT EXISTS (
            SELECT 1 FROM report_findings f
             WHERE f.import_id = $1::uuid AND f.kind = b.kind AND f.reference = b.reference)`,
);

export const FORGET_FINDINGS = statement(
  'reconciliation.forget_findings',
  `DELETE FROM report_findings WHERE import_id = $1::uuid`,
);

export type ReportBreakRow = {
  id: string;
  kind: string;
  reference: string;
  severity: 'info' | 'warning' | 'critical';
  amount: string | null;
  currency: string | null;
  ours: object | null;
  theirs: object | null;
  first_seen: Date;
  last_seen: Date;
  closed_at: Date | null;
};

/** The breaks of one processor and day: those that are open, and those that closed since `$3`. A page at a time. */
export const LIST_REPORT_BREAKS = statement<ReportBreakRow>(
  'reconciliation.list_report_breaks',
  `SELECT id, kind, reference, severity, amount, currency, details->'ours' AS ours, details->'theirs' AS theirs,
          first_seen, last_seen, closed_at
     FROM breaks
    WHERE processor_name = $1::text AND report_date = $2::date AND kind = ANY($7::text[])
      AND (status = 'open' OR closed_at >= $3::timestamptz)
      AND (kind, reference) > ($4::text, $5::text)
    ORDER BY kind, reference
    LIMIT $6::int`,
);

export const COUNT_OPEN = statement<{ kind: string; open: number }>(
  'reconciliation.count_open',
  `SELECT kind, count(*)::int AS open
     FROM breaks
    WHERE processor_name = $1::text AND report_date = $2::date AND status = 'open' AND kind = ANY($3::text[])
    GROUP BY kind
    ORDER BY kind`,
);
