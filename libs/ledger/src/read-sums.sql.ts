import { statement } from '#postgres/statement.js';

export type SumRow = {
  as_of: Date;
  /** Null on the one row of a ledger that is empty. */
  currency: string | null;
  entry_kind: string;
  debit_account: string;
  credit_account: string;
  entries: string;
  amount: string;
};

/** What was booked until an instant, by currency and kind: every balance and every trial balance follows from it. */
const sums = (entries: string) => `
   SELECT at.as_of, sum.*
     FROM (SELECT coalesce($3::timestamptz, payonce_now()) AS as_of) AS at
     LEFT JOIN (
            SELECT e.currency, e.entry_kind, e.debit_account, e.credit_account, count(*) AS entries,
                   sum(e.amount) AS amount
              FROM ${entries}
               AND ($3::timestamptz IS NULL
                    OR CASE $4::text WHEN 'recorded' THEN e.recorded_at ELSE e.effective_at END <= $3::timestamptz)
             GROUP BY e.currency, e.entry_kind, e.debit_account, e.credit_account) AS sum ON true`;

/** Of one account. With a mode, only if it is one of that mode's. */
export const READ_SUMS = statement<SumRow>(
  'ledger.read_sums',
  sums(`ledger_entries e
             WHERE e.account_id = $1::uuid
               AND ($2::text IS NULL OR $2::text = (SELECT mode FROM accounts WHERE id = $1::uuid))`),
);

/** Of every account of a mode. It reads all of their entries. */
export const READ_ALL_SUMS = statement<SumRow>(
  'ledger.read_all_sums',
  sums(`ledger_entries e
              JOIN accounts a ON a.id = e.account_id
             WHERE $1::uuid IS NULL AND a.mode = $2::text`),
);
