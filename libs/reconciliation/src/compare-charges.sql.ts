import { statement } from '#postgres/statement.js';
import { DAY_END, DAY_START, INTO_FINDINGS, IS_DUE, IS_MISSED, isApart, side } from './ours.sql.js';

/** Charges that stand on both sides: amount, currency, fee, and the day. */
export const FIND_CHARGES_THAT_DIFFER = statement(
  'reconciliation.find_charges_that_differ',
  `WITH both_sides AS (
     SELECT o.account_id, o.payment_id, o.reference, o.amount, o.currency, o.earliest, o.latest, o.fee, l.gross,
            l.fee AS their_fee, l.currency AS their_currency, l.created_at
       FROM lines_apart l
       JOIN our_charges o ON o.reference = l.payment_ref
      WHERE l.category = 'charge'
   ), differing AS (
     SELECT *
       FROM both_sides
      WHERE gross <> amount OR their_currency <> currency OR their_fee <> fee
         OR created_at < ${DAY_START} OR created_at >= ${DAY_END}
         OR ${isApart('created_at', 'earliest', 'latest')}
   )
   ${INTO_FINDINGS}
   SELECT DISTINCT ON (f.kind, d.reference)
          $1::uuid, f.kind, d.reference, d.account_id, d.payment_id, f.amount, d.currency, f.ours, f.theirs
     FROM differing d
    CROSS JOIN LATERAL (VALUES
      ('currency', their_currency <> currency, amount,
       ${side('amount', 'currency')}, ${side('gross', 'their_currency')}),
      ('amount', their_currency = currency AND gross <> amount, abs(gross - amount),
       ${side('amount', 'currency')}, ${side('gross', 'their_currency')}),
      ('fee', their_currency = currency AND their_fee <> fee, abs(their_fee - fee),
       ${side('fee', 'currency')}, ${side('their_fee', 'their_currency')}),
      ('timing', created_at < ${DAY_START} OR created_at >= ${DAY_END}
                 OR ${isApart('created_at', 'earliest', 'latest')}, amount,
       ${side('amount', 'currency', `'at', latest`)}, ${side('gross', 'their_currency', `'at', created_at`)})
    ) AS f (kind, holds, amount, ours, theirs)
    WHERE f.holds
   ON CONFLICT DO NOTHING`,
);

/**
 * Charges that stand in the report alone: nobody here made them, or of our own intents, one that failed here or is
 * not known to be paid, or a second one.
 */
export const FIND_CHARGES_NOT_HERE = statement(
  'reconciliation.find_charges_not_here',
  `WITH alone AS (
     SELECT l.*
       FROM lines_apart l
      WHERE l.category = 'charge' AND NOT EXISTS (SELECT 1 FROM our_charges o WHERE o.reference = l.payment_ref)
   ), placed AS (
     SELECT a.created_at, a.gross, a.currency, coalesce(a.payment_ref, a.source_id) AS reference, p.account_id,
            p.id AS payment_id, p.status, p.processor_id,
            CASE WHEN p.id IS NULL THEN 'missing_here' WHEN p.status = 'succeeded' THEN 'duplicate'
                 ELSE 'status' END AS kind
       FROM alone a
       LEFT JOIN operations o
         ON o.account_id = a.account_ref AND o.processor_key = a.intent_ref AND o.processor_name = $2::text
        AND o.kind = 'charge'
       LEFT JOIN payments p ON p.account_id = o.account_id AND p.id = o.payment_id
   )
   ${INTO_FINDINGS}
   SELECT $1::uuid, kind, reference, account_id, payment_id, nullif(abs(gross), 0), currency,
          CASE kind WHEN 'missing_here' THEN NULL
               ELSE json_build_object('status', status, 'processor_id', processor_id) END,
          ${side('gross', 'currency', `'status', 'charged'`)}
     FROM placed
    WHERE kind <> 'missing_here' OR created_at + make_interval(hours => $3::int) <= payonce_now()
   ON CONFLICT DO NOTHING`,
);

/**
 * Our charges of the day that do not stand in its report. They may stand in that of a day beside it (`$5`), where
 * they belong if they were made around midnight; what was claimed on one day and recorded on another is missing only
 * once the reports of all these days are here.
 */
export const FIND_CHARGES_NOT_THERE = statement(
  'reconciliation.find_charges_not_there',
  `WITH absent AS (
     SELECT o.*
       FROM our_charges o
      WHERE ${IS_DUE}
        AND NOT EXISTS (SELECT 1 FROM lines_apart l WHERE l.category = 'charge' AND l.payment_ref = o.reference)
   ), elsewhere AS (
     SELECT a.reference, min(l.created_at) AS created_at, min(l.gross) AS gross
       FROM absent a
       JOIN report_lines l ON l.payment_ref = a.reference
      WHERE l.import_id = ANY($5::uuid[]) AND l.category = 'charge'
      GROUP BY a.reference
   ), judged AS (
     SELECT a.*, e.created_at, e.gross,
            CASE WHEN e.reference IS NULL THEN 'missing_there' ELSE 'timing' END AS kind
       FROM absent a
       LEFT JOIN elsewhere e ON e.reference = a.reference
      WHERE ${IS_MISSED}
   )
   ${INTO_FINDINGS}
   SELECT $1::uuid, kind, reference, account_id, payment_id, amount, currency,
          ${side('amount', 'currency', `'at', latest`)},
          CASE kind WHEN 'timing' THEN ${side('gross', 'currency', `'at', created_at`)} END
     FROM judged
   ON CONFLICT DO NOTHING`,
);

/** What is booked here, against what payments say: a difference between our own two books. */
export const FIND_LEDGER_AGAINST_PAYMENTS = statement(
  'reconciliation.find_ledger_against_payments',
  `WITH taken AS (
     SELECT account_id, payment_id, sum(amount) AS refunded
       FROM refunds
      WHERE break_id IS NULL AND processor_id IS NOT NULL AND status <> 'failed'
      GROUP BY account_id, payment_id
   ), payment AS (
     SELECT p.account_id, p.id, p.processor_id, p.currency, p.amount_captured, p.amount_disputed,
            coalesce(t.refunded, 0) AS amount_taken
       FROM payments p
       LEFT JOIN taken t ON t.account_id = p.account_id AND t.payment_id = p.id
      WHERE p.processor_name = $3::text AND p.status = 'succeeded' AND p.settled_at >= ${DAY_START}
        AND p.settled_at < ${DAY_END}
   ), booked AS (
     SELECT p.*,
            coalesce(sum(l.amount) FILTER (
              WHERE l.entry_kind IN ('charge', 'capture', 'late_success_accepted')), 0) AS captured,
            coalesce(sum(CASE l.entry_kind WHEN 'refund' THEN l.amount WHEN 'refund_failed' THEN -l.amount END), 0)
              AS refunded,
            coalesce(sum(CASE WHEN l.entry_kind IN ('dispute', 'dispute_excess') THEN l.amount
                              WHEN l.entry_kind IN ('dispute_won', 'dispute_excess_won') THEN -l.amount END), 0)
              AS disputed
       FROM payment p
       LEFT JOIN ledger_entries l ON l.account_id = p.account_id AND l.payment_id = p.id
      GROUP BY p.account_id, p.id, p.processor_id, p.currency, p.amount_captured, p.amount_disputed, p.amount_taken
   )
   ${INTO_FINDINGS}
   SELECT $1::uuid, 'amount', processor_id, account_id, id,
          abs(captured - amount_captured) + abs(refunded - amount_taken) + abs(disputed - amount_disputed), currency,
          json_build_object('book', 'ledger', 'amount', captured::text, 'currency', currency,
                            'refunded', refunded::text, 'disputed', disputed::text),
          json_build_object('book', 'payments', 'amount', amount_captured::text, 'currency', currency,
                            'refunded', amount_taken::text, 'disputed', amount_disputed::text)
     FROM booked
    WHERE captured <> amount_captured OR disputed <> amount_disputed OR refunded <> amount_taken
   ON CONFLICT DO NOTHING`,
);
