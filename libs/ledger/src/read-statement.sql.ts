import { statement } from '#postgres/statement.js';

export type StatementRow = {
  id: string;
  recorded_at: Date;
  effective_at: Date;
  entry_kind: string;
  payment_id: string;
  source_id: string;
  order_id: string | null;
  debit_account: string;
  credit_account: string;
  currency: string;
  amount: string;
  /** After this entry, debits less credits. */
  debit_balance: string;
};

/**
 * The entries on one account of the chart, in the order in which they were booked: that of their transactions. It ends in
 * front of the oldest transaction that still runs, which may yet book something: what has been read of it never changes,
 * and whoever goes on from its last entry misses none.
 */
export const READ_STATEMENT = statement<StatementRow>(
  'ledger.read_statement',
  `WITH leg AS (
     SELECT e.*,
            sum(CASE WHEN e.debit_account = $3::text THEN e.amount ELSE -e.amount END)
              OVER (PARTITION BY e.currency ORDER BY e.recorded_xid, e.id) AS debit_balance
       FROM ledger_entries e
      WHERE e.account_id = $1::uuid
        AND e.recorded_xid < pg_snapshot_xmin(pg_current_snapshot())
        AND ($2::text IS NULL OR $2::text = (SELECT mode FROM accounts WHERE id = $1::uuid))
        AND $3::text IN (e.debit_account, e.credit_account)
        AND ($4::text[] IS NULL OR e.entry_kind = ANY ($4::text[]))
        AND ($5::text IS NULL OR e.currency = $5::text)
   )
   SELECT leg.id, leg.recorded_at, leg.effective_at, leg.entry_kind, leg.payment_id, leg.source_id, p.order_id,
          leg.debit_account, leg.credit_account, leg.currency, leg.amount, leg.debit_balance
     FROM leg
     LEFT JOIN payments p ON p.account_id = $1::uuid AND p.id = leg.payment_id
    WHERE ($6::uuid IS NULL
           OR (leg.recorded_xid, leg.id)
              > (SELECT recorded_xid, id FROM ledger_entries WHERE account_id = $1::uuid AND id = $6::uuid))
      AND ($7::timestamptz IS NULL OR leg.recorded_at > $7::timestamptz)
      AND ($8::timestamptz IS NULL OR leg.recorded_at < $8::timestamptz)
    ORDER BY leg.recorded_xid, leg.id
    LIMIT $9::int`,
);
