import { statement } from '#postgres/statement.js';
import { LAST_XID, NO_ENTRY, OF_THE_MODE, blocksOf } from './snapshots.sql.js';

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

const KIND = 'currency, entry_kind, debit_account, credit_account';
const byBasis = (column: string) =>
  `CASE $4::text WHEN 'recorded' THEN recorded_${column} ELSE effective_${column} END`;

/** What was booked until an instant, by currency and kind: every balance and every trial balance follows from it. */
const sums = (parts: string) => `
   SELECT at.as_of, sum.*
     FROM (SELECT coalesce($3::timestamptz, payonce_now()) AS as_of) AS at
     LEFT JOIN (
            SELECT ${KIND}, sum(entries) AS entries, sum(amount) AS amount
              FROM (${parts}) AS part
             GROUP BY ${KIND}) AS sum ON true`;

/** One entry at a time. */
const ENTRY = `${KIND}, 1 AS entries, amount`;
const IN_TIME = `($3::timestamptz IS NULL OR ${byBasis('at')} <= $3::timestamptz)`;

/**
 * Of one account. With a mode, only if it is one of that mode's. Blocks that were added up before count as they are; of one
 * that the instant lies in, as much as was there by then; what stands behind them is added up here.
 */
export const READ_SUMS = statement<SumRow>(
  'ledger.read_sums',
  `WITH block AS MATERIALIZED (
     SELECT ${KIND}, number, last_xid, last_entry, entries, amount, ${byBasis('from')} AS earliest,
            ${byBasis('to')} AS latest, ${byBasis('times')} AS times, ${byBasis('sums')} AS sums
       FROM (${blocksOf('$1::uuid')}) AS whole
      WHERE ${OF_THE_MODE}
   ), behind AS MATERIALIZED (
     SELECT coalesce(last_xid, '0') AS xid, coalesce(last_entry, ${NO_ENTRY}) AS entry
       FROM (SELECT 1) AS always
       LEFT JOIN (SELECT last_xid, last_entry FROM block ORDER BY number DESC LIMIT 1) AS last ON true
   )
   ${sums(`
     SELECT ${KIND}, entries, amount
       FROM block
      WHERE $3::timestamptz IS NULL OR latest <= $3::timestamptz
      UNION ALL
     SELECT ${KIND}, there.entries, sums[there.entries]
       FROM block
       CROSS JOIN LATERAL (SELECT width_bucket($3::timestamptz, times) AS entries OFFSET 0) AS there
      WHERE earliest <= $3::timestamptz AND latest > $3::timestamptz
      UNION ALL
     SELECT e.*
       FROM behind
       CROSS JOIN LATERAL (
              SELECT ${ENTRY}
                FROM ledger_entries
               WHERE account_id = $1::uuid AND recorded_xid >= behind.xid AND recorded_xid <= ${LAST_XID}
                 AND (recorded_xid, id) > (behind.xid, behind.entry) AND ${IN_TIME} AND ${OF_THE_MODE}) AS e`)}`,
);

/** Of every account of a mode. It reads all of their entries. */
export const READ_ALL_SUMS = statement<SumRow>(
  'ledger.read_all_sums',
  sums(`
     SELECT ${ENTRY}
       FROM ledger_entries e
       JOIN accounts a ON a.id = e.account_id
      WHERE $1::uuid IS NULL AND a.mode = $2::text AND ${IN_TIME}`),
);
