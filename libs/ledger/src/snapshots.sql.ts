import { statement } from '#postgres/statement.js';

/** Links of an account that make a block. The index `ledger_chain_blocks` says the same number. */
export const BLOCK = 2048;

/** Positions are transaction numbers, which mean nothing on another server. */
export const THIS_SERVER = `(SELECT system_identifier FROM pg_control_system())`;

/** In front of every entry. */
export const NO_ENTRY = `'00000000-0000-0000-0000-000000000000'::uuid`;

/**
 * No transaction comes after it. Named as an upper bound, it makes the planner take what is behind a position for a small
 * part of the table, as it nearly always is, and use the index.
 */
export const LAST_XID = `'18446744073709551615'::xid8`;

/** For readers: account $1 is one of mode $2, if that is given. */
export const OF_THE_MODE = `($2::text IS NULL OR $2::text = (SELECT mode FROM accounts WHERE id = $1::uuid))`;

const OF_A_ROW = `account_id, number, currency, entry_kind, debit_account, credit_account`;

/** What a row of a block says of its entries: everything but where the block ends. */
export const SUMMARY = [
  'entries',
  'amount',
  'recorded_from',
  'recorded_to',
  'effective_from',
  'effective_to',
  'recorded_times',
  'recorded_sums',
  'effective_times',
  'effective_sums',
];

/** The rows of blocks, out of `links`: entries with the `number` of their block and their `place` in it. */
export const summaryOf = (links: string) => `
   SELECT ${OF_A_ROW}, count(*)::int AS entries, sum(amount)::bigint AS amount,
          min(recorded_at) AS recorded_from, max(recorded_at) AS recorded_to,
          min(effective_at) AS effective_from, max(effective_at) AS effective_to,
          array_agg(recorded_at ORDER BY recorded_at, place) AS recorded_times,
          array_agg(recorded_sum ORDER BY recorded_at, place) AS recorded_sums,
          array_agg(effective_at ORDER BY effective_at, place) AS effective_times,
          array_agg(effective_sum ORDER BY effective_at, place) AS effective_sums
     FROM (SELECT *,
                  (sum(amount) OVER (PARTITION BY ${OF_A_ROW} ORDER BY recorded_at, place
                                     ROWS UNBOUNDED PRECEDING))::bigint AS recorded_sum,
                  (sum(amount) OVER (PARTITION BY ${OF_A_ROW} ORDER BY effective_at, place
                                     ROWS UNBOUNDED PRECEDING))::bigint AS effective_sum
             FROM ${links}) AS summed
    GROUP BY ${OF_A_ROW}`;

/**
 * The rows of an account's blocks, from the first on, up to the first of which one is missing: with all of them, entries
 * add up to the block's number. What stands behind the last one that is told is read entry by entry.
 */
export const blocksOf = (account: string) => `
     SELECT *
       FROM (SELECT s.*, sum(entries) OVER (ORDER BY number) AS so_far
               FROM ledger_snapshots s
              WHERE account_id = ${account} AND server = ${THIS_SERVER}) AS known
      WHERE so_far = number`;

export type BlockRow = {
  account_id: string;
  number: string;
  /** Of a block that has all of its rows, and is told because it is the last that was looked at. */
  is_there: boolean;
  /** There is none behind it. */
  is_end: boolean;
};

/**
 * The next $4 blocks behind ($1, $2) that lack a row, among $3 that are looked at; and the last one that was, if it does
 * not come to $4.
 */
export const FIND_BLOCKS = statement<BlockRow>(
  'ledger.find_blocks',
  `WITH block AS MATERIALIZED (
     SELECT account_id, number, row_number() OVER (ORDER BY account_id, number) AS place
       FROM (SELECT account_id, number
               FROM ledger_chain
              WHERE number % ${BLOCK} = 0 AND (account_id, number) > ($1::uuid, $2::bigint)
              ORDER BY account_id, number
              LIMIT $3::int) AS next
   ), judged AS (
     SELECT block.*, coalesce(made.entries, 0) = ${BLOCK} AS is_there,
            block.place = (SELECT max(place) FROM block) AS is_last
       FROM block
       CROSS JOIN LATERAL (
              SELECT sum(entries) AS entries
                FROM ledger_snapshots s
               WHERE s.account_id = block.account_id AND s.server = ${THIS_SERVER} AND s.number = block.number) AS made
   )
   SELECT account_id, number, is_there, is_last AND place < $3::int AS is_end
     FROM judged
    WHERE is_last OR NOT is_there
    ORDER BY place
    LIMIT $4::int`,
);

/**
 * Makes the rows that are missing of the block of $3 links up to number $2 of account $1. None, if it is not whole: a link
 * or its entry is gone, an entry without a link stands among them, or their order is not that of their transactions. Run
 * twice, or by two at once, there is one row of each.
 */
export const TAKE_SNAPSHOT = statement<{ is_whole: boolean; rows: number }>(
  'ledger.take_snapshot',
  `WITH link AS MATERIALIZED (
     SELECT $2::bigint AS number, (c.number - $2::bigint + $3::int)::int AS place, e.*
       FROM (SELECT number, entry_id
               FROM ledger_chain
              WHERE account_id = $1::uuid AND number > $2::bigint - $3::int AND number <= $2::bigint
              ORDER BY number
              LIMIT $3::int) AS c
       CROSS JOIN LATERAL (
              SELECT * FROM ledger_entries WHERE account_id = $1::uuid AND id = c.entry_id OFFSET 0) AS e
   ), before AS MATERIALIZED (
     SELECT e.recorded_xid, e.id
       FROM ledger_chain c
       JOIN ledger_entries e ON e.account_id = c.account_id AND e.id = c.entry_id
      WHERE c.account_id = $1::uuid AND c.number = $2::bigint - $3::int
      UNION ALL
     SELECT '0'::xid8, ${NO_ENTRY} WHERE $2::bigint = $3::int
   ), whole AS MATERIALIZED (
     SELECT last.recorded_xid, last.id
       FROM link AS last, before
      WHERE last.place = $3::int
        -- Whoever books from now on stands behind it.
        AND last.recorded_xid < pg_snapshot_xmin(pg_current_snapshot())
        AND (SELECT count(*) = $3::int AND bool_and(place = at) AND sum(amount) <= ${2n ** 63n - 1n}
               FROM (SELECT place, amount, row_number() OVER (ORDER BY recorded_xid, id) AS at FROM link) AS ordered)
        AND $3::int = (
              SELECT count(*)
                FROM (SELECT
                        FROM ledger_entries e
                       WHERE e.account_id = $1::uuid AND (e.recorded_xid, e.id) > (before.recorded_xid, before.id)
                         AND (e.recorded_xid, e.id) <= (last.recorded_xid, last.id)
                       ORDER BY e.recorded_xid, e.id
                       LIMIT $3::int + 1) AS among)
   ), made AS (
     INSERT INTO ledger_snapshots (${OF_A_ROW}, ${SUMMARY.join(', ')}, last_xid, last_entry, server)
     SELECT made.*, whole.recorded_xid, whole.id, ${THIS_SERVER}
       FROM whole, (${summaryOf('link')}) AS made
     ON CONFLICT ON CONSTRAINT ledger_snapshots_pkey DO NOTHING
     RETURNING number
   )
   SELECT EXISTS (SELECT 1 FROM whole) AS is_whole, (SELECT count(*)::int FROM made) AS rows`,
);
