import { INSTANCE_LOCKS } from '#postgres/instance.js';
import { statement } from '#postgres/statement.js';

/** Whether the session that held the lock of a key's owner is gone. Others only read the locks, never try them. */
export const OWNER_IS_GONE = `NOT EXISTS (
          SELECT 1 FROM pg_locks l
           WHERE l.locktype = 'advisory' AND l.granted
             AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
             AND l.classid = ${INSTANCE_LOCKS} AND l.objid::bigint = owner)`;

/** Instances whose session holds its lock now. */
export const FIND_LIVE_OWNERS = statement<{ owner: number }>(
  'payments.find_live_owners',
  `SELECT l.objid::bigint::int AS owner
     FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.granted
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.classid = ${INSTANCE_LOCKS}
    ORDER BY owner`,
);

/**
 * Leases that are still running but whose owner's session is gone: among the claims that the mark has not
 * passed, and among the noted items. Bounded by what lies behind the mark, and by a number, youngest first, so
 * that the index on claims is read and nothing else: leases of older claims have ended or are about to.
 */
export const FIND_ORPHANS = statement<{ account_id: string; key_hash: Buffer; owner: number }>(
  'payments.find_orphans',
  `WITH mark AS (
     SELECT mark FROM sweep_marks WHERE name = 'leases'
   ), running AS (
     SELECT k.account_id, k.key_hash, k.claim_id, k.owner
       FROM mark
       CROSS JOIN LATERAL (
              SELECT * FROM idempotency_keys
               WHERE claim_id > mark.mark
               ORDER BY claim_id DESC
               LIMIT 50000) AS k
      WHERE k.state = 'started' AND k.locked_until > payonce_now() AND k.owner IS NOT NULL
     UNION
     SELECT k.account_id, k.key_hash, k.claim_id, k.owner
       FROM unresolved u
       JOIN idempotency_keys k ON k.account_id = u.account_id AND k.key_hash = u.key_hash
      WHERE k.state = 'started' AND k.locked_until > payonce_now() AND k.owner IS NOT NULL
   )
   SELECT account_id, key_hash, owner
     FROM running
    WHERE ${OWNER_IS_GONE}
    ORDER BY claim_id
    LIMIT $1::int`,
);
