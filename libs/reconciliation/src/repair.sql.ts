import { statement } from '#postgres/statement.js';

export type RepairRow = {
  line: number;
  category: string;
  source_id: string;
  payment_ref: string | null;
  account_ref: string;
  intent_ref: string;
};

/** Lines that tell of money of our own intents which the books here do not have. */
const UNREPAIRED = `
       FROM lines_apart l
       JOIN operations o
         ON o.account_id = l.account_ref AND o.processor_key = l.intent_ref AND o.processor_name = $1::text
        AND o.kind = 'charge'
      WHERE NOT EXISTS (SELECT 1 FROM our_charges c WHERE l.category = 'charge' AND c.reference = l.payment_ref)
        AND NOT EXISTS (SELECT 1 FROM our_steps s WHERE s.category = l.category AND s.reference = l.source_id)`;

/** Each may be settled as by a webhook that was lost. Behind line `$2`, a page at a time. */
export const FIND_REPAIRS = statement<RepairRow>(
  'reconciliation.find_repairs',
  `SELECT l.line, l.category, l.source_id, l.payment_ref, l.account_ref, l.intent_ref${UNREPAIRED} AND l.line > $2::int
    ORDER BY l.line
    LIMIT $3::int`,
);

export const COUNT_UNREPAIRED = statement<{ count: number }>(
  'reconciliation.count_unrepaired',
  `SELECT count(*)::int AS count${UNREPAIRED}`,
);

/**
 * The record step of fees that only the report tells: of charges that have none yet, and of disputes. A batch at a
 * time; what another books in between refuses the batch, which then begins anew without it.
 *
 * @keeps P4: no ON CONFLICT on the ledger: a second booking undoes the whole step.
 */
export const BOOK_FEES = statement<{ booked: number }>(
  'reconciliation.book_fees',
  `WITH told AS (
     SELECT DISTINCT ON (c.account_id, c.payment_id, c.fee_source)
            c.account_id, c.payment_id, c.fee_source AS source_id,
            CASE c.fee_source WHEN c.payment_id THEN 'processor_fee' ELSE 'late_success_fee' END AS kind, l.fee,
            l.currency, l.created_at
       FROM lines_apart l
       JOIN our_charges c ON c.reference = l.payment_ref AND c.currency = l.currency
      WHERE l.category = 'charge' AND l.fee > 0
        AND NOT EXISTS (
              SELECT 1 FROM ledger_entries e
               WHERE e.account_id = c.account_id AND e.payment_id = c.payment_id AND e.source_id = c.fee_source
                 AND e.entry_kind IN ('processor_fee', 'late_success_fee'))
      ORDER BY c.account_id, c.payment_id, c.fee_source, l.line
   ), told_of_disputes AS (
     SELECT DISTINCT ON (d.account_id, d.id, l.category)
            d.account_id, d.payment_id, d.id AS source_id,
            CASE l.category WHEN 'dispute' THEN 'dispute_fee' ELSE 'dispute_fee_returned' END AS kind,
            abs(l.fee) AS fee, l.currency, l.created_at
       FROM lines_apart l
       JOIN disputes d
         ON d.processor_name = $1::text AND d.processor_id = l.source_id AND d.currency = l.currency
        AND (d.status = 'won' OR l.category = 'dispute' AND d.status IN ('open', 'lost'))
      WHERE l.category = 'dispute' AND l.fee > 0 OR l.category = 'dispute_reversal' AND l.fee < 0
      ORDER BY d.account_id, d.id, l.category, l.line
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT t.account_id, t.payment_id, t.source_id, t.kind, k.debit, k.credit, t.fee, t.currency, t.created_at
       FROM (SELECT * FROM told UNION ALL SELECT * FROM told_of_disputes) AS t
       JOIN unnest($2::text[], $3::text[], $4::text[]) AS k (kind, debit, credit) ON k.kind = t.kind
      WHERE NOT EXISTS (
              SELECT 1 FROM ledger_entries e
               WHERE e.account_id = t.account_id AND e.payment_id = t.payment_id AND e.source_id = t.source_id
                 AND e.entry_kind = t.kind)
      LIMIT $5::int
     RETURNING id
   )
   SELECT count(*)::int AS booked
     FROM booked`,
);
