import { statement } from '#postgres/statement.js';

/** Which chain an account's entries stand in, of so many. */
export const SHARDS = 8;
export const shardOf = (account: string) =>
  `get_byte(sha256(uuid_send(${account})), 0) % ${SHARDS}`;

/**
 * What a link covers of its entry `e`: every column, in PostgreSQL's binary form, which no setting of a session changes;
 * instants are microseconds. Columns that a later version adds are not covered, and change no hash.
 */
export const contentOf = (shard: string, sequence: string) =>
  `record_send(ROW(${shard}::int2, ${sequence}::int8, e.id, e.account_id, e.payment_id, e.source_id, e.entry_kind,
                   e.debit_account, e.credit_account, e.amount, e.currency, e.effective_at, e.recorded_at,
                   e.recorded_xid))`;

export type ShardRow = {
  shard: number;
  sequence: string;
  hash: Buffer;
  position_xid: string;
  position_account: string;
  position_entry: string;
};

/** An entry that waits for its link; null on the one row of a shard where none does. */
export type UnlinkedRow = ShardRow & {
  /** Every transaction before this one has ended. */
  horizon: string;
  /** The last transaction that was looked at; null where all before the horizon were. */
  until: string | null;
  entry_id: string | null;
  account_id: string;
  recorded_xid: string;
  number: string;
  content: Buffer;
};

/**
 * The next $2 entries of shard $1 that have no link, among those of transactions before the oldest that still runs: what
 * commits later stands behind them. An entry in front of the position is not found, whoever put it there. However long the
 * ledger waits for its links, no more than $3 entries are looked at, or one transaction's.
 */
export const READ_UNLINKED = statement<UnlinkedRow>(
  'ledger.read_unlinked',
  `WITH reader AS MATERIALIZED (
     SELECT *, pg_snapshot_xmin(pg_current_snapshot()) AS horizon FROM ledger_shards WHERE shard = $1::smallint
   ), shard AS MATERIALIZED (
     SELECT reader.*, span.until
       FROM reader
       LEFT JOIN LATERAL (
              SELECT recorded_xid
                FROM ledger_entries
               WHERE recorded_xid >= reader.position_xid AND recorded_xid < reader.horizon
                 AND (recorded_xid, account_id) >= (reader.position_xid, reader.position_account)
               ORDER BY recorded_xid, account_id
              OFFSET $3::int
               LIMIT 1) AS ahead ON true
       LEFT JOIN LATERAL (
              -- The transactions before it; or it alone, if it has more entries than that.
              SELECT coalesce(max(recorded_xid), ahead.recorded_xid) AS until
                FROM ledger_entries
               WHERE recorded_xid >= reader.position_xid AND recorded_xid < ahead.recorded_xid
                 AND (recorded_xid, account_id) >= (reader.position_xid, reader.position_account)) AS span
         ON ahead.recorded_xid IS NOT NULL
   ), next AS MATERIALIZED (
     SELECT found.*, row_number() OVER (ORDER BY found.recorded_xid, found.account_id, found.id) AS place
       FROM shard
       CROSS JOIN LATERAL (
              SELECT *
                FROM ledger_entries e
               WHERE e.recorded_xid >= shard.position_xid AND e.recorded_xid < shard.horizon
                 AND e.recorded_xid <= coalesce(shard.until, shard.horizon)
                 AND (e.recorded_xid, e.account_id, e.id)
                     > (shard.position_xid, shard.position_account, shard.position_entry)
                 AND ${shardOf('e.account_id')} = $1::smallint
               ORDER BY e.recorded_xid, e.account_id, e.id
               LIMIT $2::int) AS found
   ), last AS MATERIALIZED (
     -- Once for each account: while nothing is known of a new chain, each looking may take a while.
     SELECT account_id,
            (SELECT number FROM ledger_chain c WHERE c.account_id = one.account_id ORDER BY number DESC LIMIT 1) AS number
       FROM (SELECT DISTINCT account_id FROM next) AS one
   )
   SELECT shard.*, e.id AS entry_id, account_id, e.recorded_xid,
          coalesce(last.number, 0) + row_number() OVER (PARTITION BY e.account_id ORDER BY e.place) AS number,
          ${contentOf('shard.shard', 'shard.sequence + e.place')} AS content
     FROM shard
     LEFT JOIN next e ON true
     LEFT JOIN last USING (account_id)
    ORDER BY e.place`,
);

/**
 * Adds links behind sequence $2 of shard $1 and moves the position, if nobody else has meanwhile ($4, $5 and $6 are where it
 * was). All or nothing; run twice, the second finds the shard moved and adds none.
 */
export const ADD_LINKS = statement<{ moved: boolean }>(
  'ledger.add_links',
  `WITH link AS (
     SELECT * FROM unnest($10::uuid[], $11::uuid[], $12::bigint[], $13::bytea[])
       WITH ORDINALITY AS link (account_id, entry_id, number, hash, place)
   ), moved AS (
     UPDATE ledger_shards
        SET sequence = $2::bigint + cardinality($10::uuid[]), hash = $3::bytea,
            position_xid = $7::xid8, position_account = $8::uuid, position_entry = $9::uuid
      WHERE shard = $1::smallint AND sequence = $2::bigint
        AND (position_xid, position_account, position_entry) = ($4::xid8, $5::uuid, $6::uuid)
     RETURNING shard
   ), added AS (
     INSERT INTO ledger_chain (shard, sequence, account_id, entry_id, number, hash)
     SELECT moved.shard, $2::bigint + link.place, link.account_id, link.entry_id, link.number, link.hash
       FROM moved, link
   )
   SELECT EXISTS (SELECT 1 FROM moved) AS moved`,
);

/** A chain as it stands, with the minute that it would be signed for. */
export type UnsignedRow = ShardRow & { signed_at: string; minute: string };

/** Chains that no checkpoint of this minute has been written of. */
export const READ_UNSIGNED = statement<UnsignedRow>(
  'ledger.read_unsigned',
  `SELECT s.*, n.signed_at::text, n.minute::text
     FROM ledger_shards s
     CROSS JOIN LATERAL (
            SELECT payonce_now() AS signed_at, date_trunc('minute', payonce_now(), 'UTC') AS minute) AS n
    WHERE s.sequence > 0
      AND NOT EXISTS (SELECT 1 FROM ledger_checkpoints c WHERE c.shard = s.shard AND c.minute = n.minute)
    ORDER BY s.shard`,
);

/** One a shard and minute: whoever comes second has written nothing, and says nothing. */
export const ADD_CHECKPOINT = statement<{ shard: number }>(
  'ledger.add_checkpoint',
  `INSERT INTO ledger_checkpoints (
          shard, minute, sequence, hash, count, position_xid, position_account, position_entry, signed_at,
          signing_key, signature)
   VALUES ($1::smallint, $2::timestamptz, $3::bigint, $4::bytea, $3::bigint, $5::xid8, $6::uuid, $7::uuid,
           $8::timestamptz, $9::text, $10::bytea)
   ON CONFLICT ON CONSTRAINT ledger_checkpoints_pkey DO NOTHING
   RETURNING shard`,
);
