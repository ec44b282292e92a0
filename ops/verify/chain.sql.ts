import { contentOf, shardOf } from '#ledger/chain.sql.js';
import type { Checkpoint } from '#ledger/signing-keys.js';
import { statement } from '#postgres/statement.js';

export type ChainRow = {
  shard: number;
  sequence: string | null;
  account_id: string | null;
  entry_id: string | null;
  what: 'missing' | 'gap' | 'altered' | 'twice' | 'inserted' | 'future';
};

const NOTHING_YET = `decode(repeat('00', 32), 'hex')`;

/**
 * The whole chain against the whole ledger, in one pass: every link against the one before it and against its entry, and
 * every entry that has none. Those behind the position of their shard, or of a running transaction, just wait.
 */
export const CHECK_CHAIN = statement<ChainRow>(
  'verify.check_chain',
  `WITH link AS (
     SELECT shard, sequence, account_id, entry_id, hash,
            lag(hash, 1, ${NOTHING_YET}) OVER earlier AS previous, lag(sequence, 1, 0::bigint) OVER earlier AS after
       FROM ledger_chain
     WINDOW earlier AS (PARTITION BY shard ORDER BY sequence)
   ), compared AS (
     SELECT link.shard, link.sequence, coalesce(link.account_id, e.account_id) AS account_id,
            coalesce(link.entry_id, e.id) AS entry_id,
            CASE
              WHEN link.shard IS NULL THEN
                (SELECT CASE
                          WHEN (e.recorded_xid, e.account_id, e.id)
                               <= (s.position_xid, s.position_account, s.position_entry) THEN 'inserted'
                          WHEN e.recorded_xid >= pg_snapshot_xmax(pg_current_snapshot())
                               AND e.recorded_xid IS DISTINCT FROM pg_current_xact_id_if_assigned() THEN 'future'
                        END
                   FROM ledger_shards s WHERE s.shard = ${shardOf('e.account_id')})
              WHEN link.sequence <> link.after + 1 THEN 'gap'
              WHEN e.id IS NULL THEN 'missing'
              WHEN link.hash <> sha256(link.previous || ${contentOf('link.shard', 'link.sequence')}) THEN 'altered'
            END AS what
       FROM link
       FULL JOIN ledger_entries e ON e.account_id = link.account_id AND e.id = link.entry_id
   )
   SELECT coalesce(shard, ${shardOf('account_id')})::int AS shard, sequence, account_id, entry_id, what
     FROM compared
    WHERE what IS NOT NULL
    ORDER BY shard, sequence NULLS LAST, account_id, entry_id
    LIMIT $1::int`,
);

/** Entries with more links than one. */
export const FIND_LINKED_TWICE = statement<ChainRow>(
  'verify.find_linked_twice',
  `SELECT min(shard)::int AS shard, max(sequence) AS sequence, account_id, entry_id, 'twice' AS what
     FROM ledger_chain
    GROUP BY account_id, entry_id
   HAVING count(*) > 1
    ORDER BY 1, 2
    LIMIT $1::int`,
);

export type EndRow = {
  shard: number;
  sequence: string;
  /** That the last link is the one which the shard names. */
  ends_there: boolean;
  /** That it has not gone back behind what was signed. */
  is_behind_signed: boolean;
  links: string;
  signed_at: Date | null;
};

/** Where each chain ends, against its last link and its last checkpoint. */
export const CHECK_ENDS = statement<EndRow>(
  'verify.check_ends',
  `SELECT s.shard::int AS shard, s.sequence, c.signed_at,
          (SELECT count(*) FROM ledger_chain WHERE shard = s.shard) AS links,
          CASE
            WHEN last.sequence IS NULL THEN s.sequence = 0
            ELSE last.sequence = s.sequence AND last.hash = s.hash
          END AS ends_there,
          coalesce((s.position_xid, s.position_account, s.position_entry)
                   < (c.position_xid, c.position_account, c.position_entry) OR s.sequence < c.sequence, false)
            AS is_behind_signed
     FROM ledger_shards s
     LEFT JOIN LATERAL (
            SELECT sequence, hash FROM ledger_chain WHERE shard = s.shard ORDER BY sequence DESC LIMIT 1) AS last ON true
     LEFT JOIN LATERAL (
            SELECT * FROM ledger_checkpoints WHERE shard = s.shard ORDER BY minute DESC LIMIT 1) AS c ON true
    ORDER BY s.shard`,
);

export type CheckpointRow = Checkpoint & {
  minute: Date;
  count: string;
  signing_key: string;
  signature: Buffer;
};

/** Checkpoints that the chain does not agree with any more. */
export const FIND_BROKEN_CHECKPOINTS = statement<{ shard: number; minute: Date; sequence: string }>(
  'verify.find_broken_checkpoints',
  `SELECT c.shard::int AS shard, c.minute, c.sequence
     FROM ledger_checkpoints c
     LEFT JOIN ledger_chain l ON l.shard = c.shard AND l.sequence = c.sequence
    WHERE l.hash IS DISTINCT FROM c.hash OR c.count <> c.sequence
    ORDER BY c.shard, c.minute
    LIMIT $1::int`,
);

/** The newest of each chain, whose signatures are checked. Older ones have to agree with the chain. */
export const READ_CHECKPOINTS = statement<CheckpointRow>(
  'verify.read_checkpoints',
  `SELECT c.shard::int AS shard, c.minute, c.sequence, c.hash, c.count, c.position_xid, c.position_account,
          c.position_entry, c.signed_at::text AS signed_at, c.signing_key, c.signature
     FROM ledger_shards s
     CROSS JOIN LATERAL (
            SELECT * FROM ledger_checkpoints WHERE shard = s.shard ORDER BY minute DESC LIMIT $1::int) AS c
    ORDER BY c.shard, c.minute`,
);
