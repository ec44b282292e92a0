import { statement } from '#postgres/statement.js';
import { DAY_END, DAY_START, INTO_FINDINGS, IS_DUE, IS_MISSED, isApart, side } from './ours.sql.js';

/** Whatever is wrong with a refund is a break of that kind; disputes are compared like charges. */
const KIND = (kind: string) => `CASE WHEN category LIKE 'refund%' THEN 'refund' ELSE '${kind}' END`;

/** Lines of refunds and disputes, against ours. */
export const FIND_STEPS_THAT_DIFFER = statement(
  'reconciliation.find_steps_that_differ',
  `WITH line AS (
     SELECT l.category, l.source_id AS reference, l.gross AS their_gross, l.fee AS their_fee,
            l.currency AS their_currency, l.created_at, o.account_id, o.payment_id, o.gross, o.fee, o.currency,
            o.earliest, o.latest, o.reference IS NULL AS is_alone
       FROM lines_apart l
       LEFT JOIN our_steps o ON o.category = l.category AND o.reference = l.source_id
      WHERE l.category <> 'charge'
   )
   ${INTO_FINDINGS}
   SELECT DISTINCT ON (f.kind, l.reference)
          $1::uuid, f.kind, l.reference, l.account_id, l.payment_id, nullif(abs(f.amount), 0), l.their_currency,
          f.ours, f.theirs
     FROM line l
    CROSS JOIN LATERAL (VALUES
      (${KIND('missing_here')}, is_alone AND (category LIKE 'refund%'
         OR created_at + make_interval(hours => $3::int) <= payonce_now()), their_gross,
       NULL, ${side('their_gross', 'their_currency')}),
      (${KIND('currency')}, their_currency <> currency, gross,
       ${side('gross', 'currency')}, ${side('their_gross', 'their_currency')}),
      (${KIND('amount')}, their_currency = currency AND their_gross <> gross, their_gross - gross,
       ${side('gross', 'currency')}, ${side('their_gross', 'their_currency')}),
      ('fee', their_currency = currency AND their_fee <> fee, their_fee - fee,
       ${side('fee', 'currency')}, ${side('their_fee', 'their_currency')}),
      ('timing', created_at < ${DAY_START} OR created_at >= ${DAY_END}
                 OR (NOT is_alone AND ${isApart('created_at', 'earliest', 'latest')}), their_gross,
       CASE WHEN is_alone THEN NULL ELSE ${side('gross', 'currency', `'at', latest`)} END,
       ${side('their_gross', 'their_currency', `'at', created_at`)})
    ) AS f (kind, holds, amount, ours, theirs)
    WHERE f.holds
    ORDER BY f.kind, l.reference
   ON CONFLICT DO NOTHING`,
);

/** Refunds and disputes of the day that its report, and those beside it (`$5`), do not have. */
export const FIND_STEPS_NOT_THERE = statement(
  'reconciliation.find_steps_not_there',
  `WITH absent AS (
     SELECT o.*
       FROM our_steps o
      WHERE ${IS_DUE}
        AND NOT EXISTS (SELECT 1 FROM lines_apart l WHERE l.category = o.category AND l.source_id = o.reference)
   ), elsewhere AS (
     SELECT a.category, a.reference, min(l.created_at) AS created_at, min(l.gross) AS their_gross
       FROM absent a
       JOIN report_lines l ON l.source_id = a.reference AND l.category = a.category
      WHERE l.import_id = ANY($5::uuid[])
      GROUP BY a.category, a.reference
   ), judged AS (
     SELECT a.*, e.created_at, e.their_gross, e.reference IS NOT NULL AS is_elsewhere
       FROM absent a
       LEFT JOIN elsewhere e ON e.reference = a.reference AND e.category = a.category
      WHERE ${IS_MISSED}
   )
   ${INTO_FINDINGS}
   SELECT $1::uuid, CASE WHEN is_elsewhere THEN 'timing' ELSE ${KIND('missing_there')} END, reference, account_id,
          payment_id, abs(gross), currency, ${side('gross', 'currency', `'at', latest`)},
          CASE WHEN is_elsewhere THEN ${side('their_gross', 'currency', `'at', created_at`)} END
     FROM judged
   ON CONFLICT DO NOTHING`,
);

const NUMBER_OF_LINE = `hashtextextended(category || ' ' || source_id, 0)`;

/**
 * The same movement twice in one report: the first counts, and what is too much is told. Lines are counted by a number,
 * which takes a fraction of the time and memory that their names would, and judged by their names.
 */
export const FIND_LINES_TWICE = statement(
  'reconciliation.find_lines_twice',
  `WITH twice AS (
     SELECT ${NUMBER_OF_LINE} AS number
       FROM report_lines
      WHERE import_id = $1::uuid AND bad_reason IS NULL AND category <> 'payout'
      GROUP BY ${NUMBER_OF_LINE}
     HAVING count(*) > 1
   ), shown AS (
     SELECT category, source_id, min(payment_ref) AS payment_ref, min(currency) AS currency,
            sum(gross)::bigint AS gross, (array_agg(gross ORDER BY line))[1] AS first_gross,
            json_agg(line ORDER BY line) AS stand_in
       FROM report_lines
      WHERE import_id = $1::uuid AND bad_reason IS NULL AND category <> 'payout'
        AND ${NUMBER_OF_LINE} IN (SELECT number FROM twice)
      GROUP BY category, source_id
     HAVING count(*) > 1
   ), ours AS (
     SELECT account_id, id AS payment_id, processor_id
       FROM payments
      WHERE processor_name = $2::text AND processor_id IN (SELECT payment_ref FROM shown)
   )
   ${INTO_FINDINGS}
   SELECT DISTINCT ON (reference)
          $1::uuid, 'duplicate', reference, o.account_id, o.payment_id, nullif(abs(s.gross - s.first_gross), 0),
          s.currency, ${side('s.first_gross', 's.currency')},
          ${side('s.gross', 's.currency', `'lines', s.stand_in`)}
     FROM shown s
     LEFT JOIN ours o ON o.processor_id = s.payment_ref
    CROSS JOIN LATERAL (
      SELECT CASE s.category WHEN 'charge' THEN coalesce(s.payment_ref, s.source_id) ELSE s.source_id END
    ) AS named (reference)
   ON CONFLICT DO NOTHING`,
);

/** Lines of other kinds: a charge that was taken back, and money that moved for reasons that nobody books here. */
export const FIND_OTHER_LINES = statement(
  'reconciliation.find_other_lines',
  `WITH other AS (
     SELECT DISTINCT ON (kind, reference)
            CASE l.category WHEN 'charge_failure' THEN 'status' ELSE 'missing_here' END AS kind,
            CASE l.category WHEN 'charge_failure' THEN coalesce(l.payment_ref, l.source_id) ELSE l.source_id END
              AS reference,
            l.category, l.payment_ref, l.gross, l.fee, l.currency
       FROM report_lines l
      WHERE l.import_id = $1::uuid AND l.bad_reason IS NULL
        AND l.category NOT IN ('charge', 'refund', 'refund_failure', 'dispute', 'dispute_reversal', 'payout')
      ORDER BY kind, reference, l.line
   )
   ${INTO_FINDINGS}
   SELECT $1::uuid, t.kind, t.reference, p.account_id, p.id, nullif(abs(t.gross - t.fee), 0), t.currency,
          CASE WHEN p.id IS NOT NULL THEN json_build_object('status', p.status) END,
          ${side('t.gross', 't.currency', `'status', t.category`)}
     FROM other t
     LEFT JOIN payments p ON p.processor_name = $2::text AND p.processor_id = t.payment_ref
   ON CONFLICT DO NOTHING`,
);

/**
 * Each payout, against the lines that name it, in this report and those of the days before (`$2`): each currency by
 * itself, also one that only lines have.
 */
export const FIND_PAYOUT_SUMS = statement(
  'reconciliation.find_payout_sums',
  `WITH payout AS (
     SELECT source_id AS reference, currency, sum(gross - fee)::bigint AS paid
       FROM report_lines
      WHERE import_id = $1::uuid AND category = 'payout'
      GROUP BY source_id, currency
   ), parts AS (
     SELECT payout_id AS reference, currency, sum(gross - fee)::bigint AS net
       FROM report_lines
      WHERE import_id = ANY($2::uuid[] || $1::uuid) AND category <> 'payout'
        AND payout_id IN (SELECT reference FROM payout)
      GROUP BY payout_id, currency
   ), both_sides AS (
     SELECT reference, currency, coalesce(p.paid, 0) AS paid, coalesce(s.net, 0) AS net
       FROM payout p
       FULL JOIN parts s USING (reference, currency)
   )
   ${INTO_FINDINGS}
   SELECT DISTINCT ON (reference)
          $1::uuid, 'payout_sum', reference, NULL, NULL, nullif(abs(net + paid), 0), currency,
          ${side('-net', 'currency')}, ${side('paid', 'currency')}
     FROM both_sides
    WHERE paid <> -net
    ORDER BY reference, currency
   ON CONFLICT DO NOTHING`,
);
