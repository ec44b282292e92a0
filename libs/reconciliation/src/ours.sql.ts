/**
 * What the books here expect of a report, as text for the statements that hold the two against each other: of one
 * processor, and of some references alone where `among` names a list of them. Each movement has the time within which
 * it must have been made: from its claim to its record.
 */

/**
 * Charges and captures, and money that came late. Amounts are the ledger's, which is what is reported on. The fee of a
 * payment's first charge has the payment as its source, and that of any other its break. Charges and captures are read
 * together: of a big day each reading of the ledger and the payments takes seconds.
 */
export const ourCharges = (processor: string, among = '') => `
  SELECT p.account_id, p.id AS payment_id, p.processor_id AS reference, l.amount, l.currency,
         coalesce(o.created_at, p.created_at) AS earliest, p.settled_at AS latest, p.id AS fee_source
    FROM payments p
    JOIN ledger_entries l
      ON l.account_id = p.account_id AND l.payment_id = p.id AND l.entry_kind IN ('charge', 'capture')
    LEFT JOIN operations o
      ON l.entry_kind = 'capture' AND o.kind = 'capture' AND o.account_id = l.account_id AND o.id = l.source_id
   WHERE p.processor_name = ${processor}::text AND p.status = 'succeeded' AND p.accepted_break_id IS NULL
     ${isAmong(among, 'p.processor_id')}
  UNION ALL
  SELECT p.account_id, p.id, b.reference, l.amount, l.currency, p.created_at, b.first_seen,
         CASE WHEN (p.status <> 'succeeded' OR p.accepted_break_id IS NOT NULL)
                   AND NOT EXISTS (
                         SELECT 1 FROM breaks f
                          WHERE f.account_id = b.account_id AND f.payment_id = b.payment_id AND f.kind = 'late_success'
                            AND (f.first_seen, f.id) < (b.first_seen, b.id))
              THEN p.id ELSE b.id END
    FROM breaks b
    JOIN payments p ON p.account_id = b.account_id AND p.id = b.payment_id
    JOIN ledger_entries l
      ON l.account_id = b.account_id AND l.payment_id = b.payment_id AND l.source_id = b.id
     AND l.entry_kind = 'late_success'
   WHERE b.processor_name = ${processor}::text AND b.kind = 'late_success' ${isAmong(among, 'b.reference')}`;

/** Refunds that were taken, refunds that came back, disputes, and disputes that were won. */
export const ourSteps = (processor: string, among = '') => `
  SELECT r.account_id, r.payment_id, r.processor_id AS reference,
         CASE WHEN l.entry_kind IN ('refund', 'late_success_refund') THEN 'refund' ELSE 'refund_failure' END AS category,
         CASE WHEN l.entry_kind IN ('refund', 'late_success_refund') THEN -l.amount ELSE l.amount END AS gross,
         l.currency, 0::bigint AS fee, r.created_at AS earliest, l.recorded_at AS latest
    FROM refunds r
    JOIN payments p ON p.account_id = r.account_id AND p.id = r.payment_id
    JOIN ledger_entries l
      ON l.account_id = r.account_id AND l.payment_id = r.payment_id AND l.source_id = r.id
     AND l.entry_kind IN ('refund', 'late_success_refund', 'refund_failed', 'late_success_refund_failed')
   WHERE p.processor_name = ${processor}::text ${isAmong(among, 'r.processor_id')}
  UNION ALL
  SELECT d.account_id, d.payment_id, d.reference, s.category, s.gross::bigint, d.currency, s.fee, d.opened_at, s.latest
    FROM (
      SELECT d.account_id, d.payment_id, d.processor_id AS reference, d.opened_at, l.currency,
             sum(l.amount) FILTER (WHERE ${IS_TAKEN}) AS taken,
             max(l.recorded_at) FILTER (WHERE ${IS_TAKEN}) AS taken_at,
             coalesce(max(l.amount) FILTER (WHERE l.entry_kind = 'dispute_fee'), 0) AS fee,
             sum(l.amount) FILTER (WHERE ${IS_GIVEN_BACK}) AS given_back,
             max(l.recorded_at) FILTER (WHERE ${IS_GIVEN_BACK}) AS given_back_at,
             coalesce(max(l.amount) FILTER (WHERE l.entry_kind = 'dispute_fee_returned'), 0) AS fee_returned
        FROM ${among === '' ? 'disputes' : disputesAmong(among)} d
        JOIN ledger_entries l
          ON l.account_id = d.account_id AND l.payment_id = d.payment_id AND l.source_id = d.id
         AND (${IS_TAKEN} OR ${IS_GIVEN_BACK} OR l.entry_kind IN ('dispute_fee', 'dispute_fee_returned'))
       WHERE d.processor_name = ${processor}::text AND d.status <> 'inquiry'
       GROUP BY d.account_id, d.payment_id, d.processor_id, d.opened_at, l.currency
    ) AS d
    CROSS JOIN LATERAL (VALUES
      ('dispute', -taken, fee, taken_at),
      ('dispute_reversal', given_back, -fee_returned, given_back_at)
    ) AS s (category, gross, fee, latest)
   WHERE s.gross IS NOT NULL`;

const IS_TAKEN = `l.entry_kind IN ('dispute', 'dispute_excess')`;
const IS_GIVEN_BACK = `l.entry_kind IN ('dispute_won', 'dispute_excess_won')`;

function isAmong(list: string, reference: string): string {
  return list && `AND ${reference} IN (SELECT reference FROM ${list})`;
}

/** Picked out before anything is joined to them (`OFFSET 0`): afterwards the planner would compare each with each. */
function disputesAmong(list: string): string {
  return `(SELECT * FROM disputes WHERE processor_id IN (SELECT reference FROM ${list}) OFFSET 0)`;
}

/** The report's day, from `$2`. */
export const DAY_START = `($2::date)::timestamp AT TIME ZONE 'UTC'`;
export const DAY_END = `($2::date + 1)::timestamp AT TIME ZONE 'UTC'`;

/** Whether an instant lies outside of the time within which a movement was made, by more than clocks may differ. */
export function isApart(instant: string, earliest: string, latest: string): string {
  const day = (at: string) => `(${at} AT TIME ZONE 'UTC')::date`;
  return `(${instant} < ${earliest} - interval '5 seconds' AND ${day(instant)} < ${day(earliest)}
        OR ${instant} > ${latest} + interval '5 seconds' AND ${day(instant)} > ${day(latest)})`;
}

/**
 * Whether a movement of ours, `o`, should stand in the report of the day: it was made before that was read, and the
 * window (`$4`) is over.
 */
export const IS_DUE = `o.latest >= ${DAY_START} AND o.earliest < ${DAY_END}
        AND o.latest <= (SELECT read_at FROM report_imports WHERE id = $1::uuid)
        AND o.latest + make_interval(hours => $4::int) <= payonce_now()`;

/**
 * Whether a movement `a` that the day's report lacks is a finding: it stands in no report beside it (`e`) although
 * those of all its days are here, or in one of a day on which it was not made.
 */
export const IS_MISSED = `CASE WHEN e.reference IS NULL
                 THEN (SELECT count(*) FROM report_imports i
                        WHERE i.processor_name = $3::text AND i.superseded_at IS NULL
                          AND i.report_date BETWEEN (a.earliest AT TIME ZONE 'UTC')::date
                                                AND (a.latest AT TIME ZONE 'UTC')::date)
                      = (a.latest AT TIME ZONE 'UTC')::date - (a.earliest AT TIME ZONE 'UTC')::date + 1
                 ELSE ${isApart('e.created_at', 'a.earliest', 'a.latest')} END`;

/** A side of a finding, as it is shown. */
export function side(amount: string, currency: string, more = ''): string {
  return `json_build_object('amount', (${amount})::text, 'currency', ${currency}${more && `, ${more}`})`;
}

export const INTO_FINDINGS = `
  INSERT INTO report_findings (import_id, kind, reference, account_id, payment_id, amount, currency, ours, theirs)`;
