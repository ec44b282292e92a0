import { statement } from '#postgres/statement.js';
import { OUR_CHARGES, OUR_STEPS, ourCharges, ourSteps } from './ours.sql.js';

export type RepairRow = {
  line: number;
  category: string;
  source_id: string;
  payment_ref: string | null;
  account_ref: string;
  intent_ref: string;
};

/**
 * Lines that tell of money of our own intents which the books here do not have: each may be settled as by a webhook
 * that was lost. Behind line `$3`, a page at a time.
 */
export const FIND_REPAIRS = statement<RepairRow>(
  'reconciliation.find_repairs',
  `WITH charge AS (${OUR_CHARGES}
   ), step AS (${OUR_STEPS}
   ), line AS (
     SELECT l.line, l.category, l.source_id, l.payment_ref, l.account_ref, l.intent_ref
       FROM report_lines l
      WHERE l.import_id = $1::uuid AND l.line > $3::int AND l.category = 'charge'
        AND NOT EXISTS (SELECT 1 FROM charge c WHERE c.reference = l.payment_ref)
     UNION ALL
     SELECT l.line, l.category, l.source_id, l.payment_ref, l.account_ref, l.intent_ref
       FROM report_lines l
      WHERE l.import_id = $1::uuid AND l.line > $3::int
        AND l.category IN ('refund', 'refund_failure', 'dispute', 'dispute_reversal')
        AND NOT EXISTS (SELECT 1 FROM step s WHERE s.category = l.category AND s.reference = l.source_id)
   )
   SELECT l.line, l.category, l.source_id, l.payment_ref, l.account_ref, l.intent_ref
     FROM line l
     JOIN operations o
       ON o.account_id = l.account_ref AND o.processor_key = l.intent_ref AND o.processor_name = $2::text
      AND o.kind = 'charge'
    ORDER BY l.line
    LIMIT $4::int`,
);

/** Which of the lines (`$3`) still tell of more than the books here have. */
export const COUNT_UNREPAIRED = statement<{ count: number }>(
  'reconciliation.count_unrepaired',
  `WITH target AS (
     SELECT o.payment_id
       FROM report_lines l
       JOIN operations o ON o.account_id = l.account_ref AND o.processor_key = l.intent_ref
      WHERE l.import_id = $1::uuid AND l.line = ANY($3::int[])
   ), charge AS (${ourCharges('target')}
   ), step AS (${ourSteps('target')}
   )
   SELECT count(*)::int AS count
     FROM report_lines l
    WHERE l.import_id = $1::uuid AND l.line = ANY($3::int[])
      AND NOT EXISTS (SELECT 1 FROM charge c WHERE l.category = 'charge' AND c.reference = l.payment_ref)
      AND NOT EXISTS (SELECT 1 FROM step s WHERE s.category = l.category AND s.reference = l.source_id)`,
);

/**
 * The record step of fees that only the report tells: of charges that have none yet, and of disputes. A batch at a
 * time; what another books in between refuses the batch, which then begins anew without it.
 *
 * @keeps P4: no ON CONFLICT on the ledger: a second booking undoes the whole step.
 */
export const BOOK_FEES = statement<{ booked: number }>(
  'reconciliation.book_fees',
  `WITH charge AS (${OUR_CHARGES}
   ), told AS (
     SELECT DISTINCT ON (c.account_id, c.payment_id)
            c.account_id, c.payment_id, c.payment_id AS source_id, 'processor_fee' AS kind, l.fee, l.currency,
            l.created_at
       FROM report_lines l
       JOIN charge c ON c.reference = l.payment_ref AND c.has_fee AND c.currency = l.currency
      WHERE l.import_id = $1::uuid AND l.category = 'charge' AND l.fee > 0
        AND NOT EXISTS (
              SELECT 1 FROM ledger_entries e
               WHERE e.account_id = c.account_id AND e.payment_id = c.payment_id AND e.entry_kind = 'processor_fee')
      ORDER BY c.account_id, c.payment_id, l.line
   ), told_of_disputes AS (
     SELECT DISTINCT ON (d.account_id, d.id, l.category)
            d.account_id, d.payment_id, d.id AS source_id,
            CASE l.category WHEN 'dispute' THEN 'dispute_fee' ELSE 'dispute_fee_returned' END AS kind,
            abs(l.fee) AS fee, l.currency, l.created_at
       FROM report_lines l
       JOIN disputes d
         ON d.processor_name = $2::text AND d.processor_id = l.source_id AND d.currency = l.currency
        AND (d.status = 'won' OR l.category = 'dispute' AND d.status IN ('open', 'lost'))
      WHERE l.import_id = $1::uuid
        AND (l.category = 'dispute' AND l.fee > 0 OR l.category = 'dispute_reversal' AND l.fee < 0)
      ORDER BY d.account_id, d.id, l.category, l.line
   ), booked AS (
     INSERT INTO ledger_entries (
            account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount, currency,
            effective_at)
     SELECT t.account_id, t.payment_id, t.source_id, t.kind, k.debit, k.credit, t.fee, t.currency, t.created_at
       FROM (SELECT * FROM told UNION ALL SELECT * FROM told_of_disputes) AS t
       JOIN unnest($3::text[], $4::text[], $5::text[]) AS k (kind, debit, credit) ON k.kind = t.kind
      WHERE NOT EXISTS (
              SELECT 1 FROM ledger_entries e
               WHERE e.account_id = t.account_id AND e.payment_id = t.payment_id AND e.source_id = t.source_id
                 AND e.entry_kind = t.kind)
      LIMIT $6::int
     RETURNING id
   )
   SELECT count(*)::int AS booked
     FROM booked`,
);
