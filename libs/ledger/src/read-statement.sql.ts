import { statement } from '#postgres/statement.js';
import { LAST_XID, NO_ENTRY, OF_THE_MODE, blocksOf } from './snapshots.sql.js';

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

/** What is on the account of the chart that is asked for. */
const ON_IT = `$3::text IN (debit_account, credit_account)
        AND ($4::text[] IS NULL OR entry_kind = ANY ($4::text[]))
        AND ($5::text IS NULL OR currency = $5::text)`;
const CHANGE = `CASE WHEN debit_account = $3::text THEN amount ELSE -amount END`;

/** How many entries of a block's row were recorded between $7 and $8: lists are opened where an end lies in them. */
const LINES = `CASE
              WHEN recorded_to <= $7::timestamptz OR recorded_from >= $8::timestamptz THEN 0
              ELSE entries
                   - CASE WHEN recorded_from <= $7::timestamptz
                          THEN width_bucket($7::timestamptz, recorded_times) ELSE 0 END
                   - CASE WHEN recorded_to >= $8::timestamptz
                          THEN entries - width_bucket($8::timestamptz - interval '1 microsecond', recorded_times)
                          ELSE 0 END
            END`;

/**
 * The entries on one account of the chart, in the order in which they were booked: that of their transactions. It ends in
 * front of the oldest transaction that still runs, which may yet book something: what has been read of it never changes,
 * and whoever goes on from its last entry misses none.
 *
 * A stretch is a block of entries that was added up before, or all that stands behind the last of these. The first that
 * have enough lines are read entry by entry; any other counts as one change, for the balances.
 */
export const READ_STATEMENT = statement<StatementRow>(
  'ledger.read_statement',
  `WITH block AS MATERIALIZED (
     SELECT number, last_xid, last_entry, currency, ${ON_IT} AS is_on_it, ${CHANGE} AS change,
            CASE WHEN ${ON_IT} THEN ${LINES} ELSE 0 END AS lines
       FROM (${blocksOf('$1::uuid')}) AS whole
      WHERE ${OF_THE_MODE}
   ), start AS MATERIALIZED (
     SELECT recorded_xid AS xid, id AS entry FROM ledger_entries WHERE account_id = $1::uuid AND id = $6::uuid
   ), ending AS (
     SELECT number, last_xid, last_entry, sum(lines) AS lines
       FROM block
      GROUP BY number, last_xid, last_entry
      UNION ALL
     SELECT ${2n ** 63n - 1n}, ${LAST_XID}, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 1 WHERE ${OF_THE_MODE}
   ), stretch AS (
     SELECT *, lag(last_xid, 1, '0'::xid8) OVER (ORDER BY number) AS first_xid,
            lag(last_entry, 1, ${NO_ENTRY}) OVER (ORDER BY number) AS first_entry
       FROM ending
   ), ahead AS (
     -- Lines in front of the first one asked for are in the stretch that it is in: those of that one do not count.
     SELECT stretch.*,
            sum(CASE WHEN (first_xid, first_entry) < (start.xid, start.entry) THEN 0 ELSE lines END)
              OVER (ORDER BY number) - lines AS lines_before
       FROM stretch
       LEFT JOIN start ON true
      WHERE lines > 0 AND ($6::uuid IS NULL OR (last_xid, last_entry) > (start.xid, start.entry))
   ), chosen AS MATERIALIZED (
     SELECT * FROM ahead WHERE lines_before < $9::int
   ), leg AS (
     SELECT e.*
       FROM chosen
       CROSS JOIN LATERAL (
              SELECT id, recorded_xid, recorded_at, effective_at, entry_kind, payment_id, source_id, debit_account,
                     credit_account, currency, amount, ${CHANGE} AS change
                FROM ledger_entries
               WHERE account_id = $1::uuid AND recorded_xid >= chosen.first_xid AND recorded_xid <= chosen.last_xid
                 AND (recorded_xid, id) > (chosen.first_xid, chosen.first_entry)
                 AND (recorded_xid, id) <= (chosen.last_xid, chosen.last_entry)
                 AND recorded_xid < pg_snapshot_xmin(pg_current_snapshot())
                 AND ${ON_IT}) AS e
      UNION ALL
     SELECT last_entry, last_xid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, currency, NULL, change
       FROM block
      WHERE is_on_it AND number NOT IN (SELECT number FROM chosen)
   ), page AS MATERIALIZED (
     SELECT *
       FROM (SELECT *, sum(change) OVER (PARTITION BY currency ORDER BY recorded_xid, id) AS debit_balance
               FROM leg) AS summed
      WHERE amount IS NOT NULL
        AND ($6::uuid IS NULL OR (recorded_xid, id) > (SELECT xid, entry FROM start))
        AND ($7::timestamptz IS NULL OR recorded_at > $7::timestamptz)
        AND ($8::timestamptz IS NULL OR recorded_at < $8::timestamptz)
      ORDER BY recorded_xid, id
      LIMIT $9::int
   )
   SELECT id, recorded_at, effective_at, entry_kind, payment_id, source_id,
          (SELECT order_id FROM payments p WHERE p.account_id = $1::uuid AND p.id = page.payment_id) AS order_id,
          debit_account, credit_account, currency, amount, debit_balance
     FROM page
    ORDER BY recorded_xid, id`,
);
