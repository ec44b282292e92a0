import { statement } from '#postgres/statement.js';
import { INTO_FINDINGS, side } from './ours.sql.js';

/** What is to be booked of the payouts of a report. A table of the session, which ends with it. */
export const MAKE_PAID_OUT = {
  name: '',
  text: `CREATE TEMP TABLE paid_out (
     number integer PRIMARY KEY, account_id uuid, payment_id uuid, source_id uuid, entry_kind text, amount bigint,
     currency text, effective_at timestamptz)`,
};

/** What is booked of a payout that reports have told otherwise since. A table of the session, too. */
export const MAKE_BOOKED_OTHERWISE = {
  name: '',
  text: `CREATE TEMP TABLE booked_otherwise (
     payment_id uuid, payout_id text, currency text, net bigint, booked bigint, is_explained boolean, is_of_day boolean)`,
};

/** Cannot be prepared, which the test of all statements does. */
export const COUNT_PAID_OUT = { name: '', text: 'ANALYZE paid_out' };

export const FORGET_PAID_OUT = statement('reconciliation.forget_paid_out', 'DELETE FROM paid_out');

/**
 * A payout has no row here: its source follows from processor and payout alone, whichever run books it. Version 8 of
 * RFC 9562, over sha256. Neither part has a line feed in it.
 */
const HASH = `sha256(convert_to(concat_ws(E'\\n', 'payonce/payout/1', $3::text, l.source_id), 'UTF8'))`;
const SOURCE = `encode(
            set_byte(
              set_byte(substring(${HASH} FROM 1 FOR 16), 6, get_byte(${HASH}, 6) & 15 | 128),
              8, get_byte(${HASH}, 8) & 63 | 128),
            'hex')::uuid`;

/**
 * What each payment got of a payout, from its lines, and whether it or one of them is `differing`. Late money in suspense
 * is a payment's too. Whether a line differs is told before lines are grouped (`OFFSET 0`), which then carries half as much.
 */
const PARTS = `ours AS NOT MATERIALIZED (
     SELECT processor_id AS reference, account_id, id AS payment_id, currency
       FROM payments
      WHERE processor_name = $3::text AND status = 'succeeded'
      UNION ALL
     SELECT b.reference, p.account_id, p.id, p.currency
       FROM breaks b
       JOIN payments p ON p.account_id = b.account_id AND p.id = b.payment_id
      WHERE b.processor_name = $3::text AND b.kind = 'late_success'
        AND (p.processor_name = $3::text AND p.status = 'succeeded' AND p.processor_id = b.reference) IS NOT TRUE
   ), part AS (
     SELECT account_id, payment_id, currency, payout_id, sum(net)::bigint AS net, bool_or(differs) AS differs
       FROM (
         SELECT o.account_id, o.payment_id, o.currency, l.payout_id, l.gross - l.fee AS net,
                l.currency <> o.currency
                OR o.payment_id IN (SELECT payment_id FROM differing WHERE payment_id IS NOT NULL)
                OR l.payment_ref IN (SELECT reference FROM differing)
                OR l.source_id IN (SELECT reference FROM differing) AS differs
           FROM report_lines l
           JOIN ours o ON o.reference = l.payment_ref
          WHERE l.import_id = ANY($2::uuid[] || $1::uuid) AND l.category <> 'payout'
            AND l.payout_id IN (SELECT payout_id FROM payout)
         OFFSET 0
       ) AS line
      GROUP BY account_id, payment_id, currency, payout_id
   )`;

/**
 * What each payment got of the payouts that this report (`$1`) names and agrees with, from its lines here and in the
 * reports of the days before (`$2`): numbered, without what is booked, of whichever of the two kinds. Where a
 * difference (`$4`) is open on a payment or on one of the lines, all of it waits. What is booked of a payout that has
 * been told otherwise since holds its payment back for good: the same money may be what another payout tells now.
 */
export const FIND_PAID_OUT = statement<{ found: number }>(
  'reconciliation.find_paid_out',
  `WITH payout AS (
     SELECT l.source_id AS payout_id, l.currency, max(l.created_at) AS paid_at,
            ${SOURCE} AS source_id
       FROM report_lines l
      WHERE l.import_id = $1::uuid AND l.category = 'payout'
        AND NOT EXISTS (
              SELECT 1 FROM report_findings f
               WHERE f.import_id = $1::uuid AND f.kind = 'payout_sum' AND f.reference = l.source_id)
      GROUP BY l.source_id, l.currency
   ), differing AS MATERIALIZED (
     SELECT reference, payment_id
       FROM breaks
      WHERE processor_name = $3::text AND status = 'open' AND kind = ANY($4::text[])
   ), ${PARTS}, kept AS (
     INSERT INTO paid_out (number, account_id, payment_id, source_id, entry_kind, amount, currency, effective_at)
     SELECT row_number() OVER (ORDER BY t.account_id, t.payment_id, p.source_id), t.account_id, t.payment_id,
            p.source_id, CASE WHEN t.net > 0 THEN 'payout' ELSE 'payout_returned' END, abs(t.net), t.currency, p.paid_at
       FROM part t
       JOIN payout p ON p.payout_id = t.payout_id AND p.currency = t.currency
      WHERE t.net <> 0 AND NOT t.differs
        AND NOT EXISTS (SELECT 1 FROM booked_otherwise b WHERE b.payment_id = t.payment_id)
        AND NOT EXISTS (
              SELECT 1 FROM ledger_entries e
               WHERE e.account_id = t.account_id AND e.payment_id = t.payment_id AND e.source_id = p.source_id
                 AND e.entry_kind IN ('payout', 'payout_returned'))
     RETURNING 1
   )
   SELECT count(*)::int AS found
     FROM kept`,
);

/** Reports of the day and of those before that others have superseded: what they told may be booked. */
export const LIST_SUPERSEDED = statement<{ id: string }>(
  'reconciliation.list_superseded',
  `SELECT id
     FROM report_imports
    WHERE processor_name = $1::text AND superseded_at IS NOT NULL
      AND report_date BETWEEN $2::date - 10 AND $2::date`,
);

/**
 * What is booked of payouts that superseded reports (`$4`) told, or tell with lines that were superseded, and that those
 * which are believed tell otherwise or not at all. It is explained where something else is found of the payment.
 */
export const FIND_BOOKED_OTHERWISE = statement(
  'reconciliation.find_booked_otherwise',
  `WITH payout AS (
     SELECT l.source_id AS payout_id, l.currency, ${SOURCE} AS source_id,
            bool_or(i.report_date = (SELECT report_date FROM report_imports WHERE id = $1::uuid)) AS is_of_day,
            bool_or(i.superseded_at IS NULL) AS is_told
       FROM report_lines l
       JOIN report_imports i ON i.id = l.import_id
      WHERE l.import_id = ANY($2::uuid[] || $4::uuid[] || $1::uuid) AND l.category = 'payout'
      GROUP BY l.source_id, l.currency
   ), differing AS MATERIALIZED (
     SELECT reference, payment_id FROM report_findings WHERE import_id = $1::uuid
   ), ${PARTS}, told AS (
     SELECT DISTINCT o.account_id, o.payment_id, o.currency, l.payout_id
       FROM report_lines l
       JOIN ours o ON o.reference = l.payment_ref
      WHERE l.import_id = ANY($2::uuid[] || $4::uuid[] || $1::uuid) AND l.category <> 'payout'
        AND l.payout_id IS NOT NULL
   )
   INSERT INTO booked_otherwise (payment_id, payout_id, currency, net, booked, is_explained, is_of_day)
   SELECT o.payment_id, p.payout_id, p.currency, n.net, b.booked,
          coalesce(t.differs, false)
          OR o.payment_id IN (SELECT payment_id FROM differing WHERE payment_id IS NOT NULL),
          p.is_of_day
     FROM told o
     JOIN payout p ON p.payout_id = o.payout_id AND p.currency = o.currency
     JOIN ledger_entries e
       ON e.account_id = o.account_id AND e.payment_id = o.payment_id AND e.source_id = p.source_id
      AND e.entry_kind IN ('payout', 'payout_returned')
    CROSS JOIN LATERAL (SELECT CASE e.entry_kind WHEN 'payout' THEN e.amount ELSE -e.amount END) AS b (booked)
     LEFT JOIN part t
       ON t.account_id = o.account_id AND t.payment_id = o.payment_id AND t.payout_id = o.payout_id
      AND t.currency = o.currency
    CROSS JOIN LATERAL (SELECT CASE WHEN p.is_told THEN coalesce(t.net, 0) ELSE 0 END) AS n (net)
    WHERE n.net <> b.booked`,
);

/** Of the day's payouts, what is booked otherwise, and nothing else explains. What is booked stays. */
export const TELL_BOOKED_OTHERWISE = statement(
  'reconciliation.tell_booked_otherwise',
  `${INTO_FINDINGS}
   SELECT $1::uuid, 'payout_sum', payout_id, NULL, NULL, sum(abs(net - booked)), currency,
          ${side('sum(booked)', 'currency', `'book', 'ledger'`)}, ${side('sum(net)', 'currency', `'book', 'report'`)}
     FROM booked_otherwise
    WHERE is_of_day AND NOT is_explained
    GROUP BY payout_id, currency
   ON CONFLICT DO NOTHING`,
);

/**
 * The record step of one piece of it: the numbers behind `$1`, up to `$2`.
 *
 * @keeps P4: no ON CONFLICT on the ledger: a second booking undoes the whole piece.
 */
export const BOOK_PAID_OUT = statement(
  'reconciliation.book_paid_out',
  `INSERT INTO ledger_entries (
          account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
          effective_at)
   SELECT t.account_id, t.payment_id, t.source_id, t.entry_kind, k.debit, k.credit, t.amount, t.currency,
          t.effective_at
     FROM paid_out t
     JOIN unnest($3::text[], $4::text[], $5::text[]) AS k (kind, debit, credit) ON k.kind = t.entry_kind
    WHERE t.number > $1::int AND t.number <= $2::int`,
);
