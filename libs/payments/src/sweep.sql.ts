import { statement } from '#postgres/statement.js';

/**
 * Walks the low-water mark along the claims, oldest first, and moves what it passes unfinished to the
 * small `unresolved` table. The mark trails by the lease and by the longest statement, so a claim that is
 * still running, or not yet visible, is never passed. Released keys have their row already.
 *
 * One walker at a time: a second one finds the mark's row locked and does nothing.
 */
export const ADVANCE_MARK = statement<{ passed: number; found: number }>(
  'payments.advance_mark',
  `WITH mark AS (
     SELECT mark FROM sweep_marks WHERE name = $3::text FOR UPDATE SKIP LOCKED
   ), passed AS MATERIALIZED (
     SELECT k.account_id, k.key_hash, k.claim_id, k.payment_id, k.state
       FROM mark
       CROSS JOIN LATERAL (
              SELECT * FROM idempotency_keys
               WHERE claim_id > mark.mark
                 AND claim_id < payonce_uuid_v7_floor(payonce_now() - $1::int * interval '1 millisecond')
               ORDER BY claim_id
               LIMIT $2::int) AS k
   ), found AS (
     INSERT INTO unresolved (account_id, key_hash, claim_id, payment_id, reason, next_try_at, since)
     SELECT account_id, key_hash, claim_id, payment_id, 'its lease ended', payonce_now(), payonce_now()
       FROM passed
      WHERE state = 'started'
     ON CONFLICT (account_id, key_hash) DO NOTHING
     RETURNING 1
   ), moved AS (
     UPDATE sweep_marks
        SET mark = (SELECT claim_id FROM passed ORDER BY claim_id DESC LIMIT 1)
      WHERE name = $3::text AND EXISTS (SELECT 1 FROM passed)
   )
   SELECT (SELECT count(*)::int FROM passed) AS passed, (SELECT count(*)::int FROM found) AS found`,
);

/** Sends the daily walk back to the beginning, once a day. */
export const RESTART_DAILY_WALK = statement(
  'payments.restart_daily_walk',
  `UPDATE sweep_marks
      SET mark = '00000000-0000-0000-0000-000000000000', started_at = payonce_now()
    WHERE name = 'leases_daily' AND started_at <= payonce_now() - interval '1 day'`,
);

/**
 * Takes a batch of due items, each for one worker: their due time moves on a little, so an item whose
 * worker dies before it takes it up comes due again.
 */
export const TAKE_DUE = statement<{
  account_id: string;
  key_hash: Buffer;
  state: 'started' | 'released' | 'queued' | 'finished' | 'canceled';
  ended: boolean;
}>(
  'payments.take_due',
  `WITH due AS (
     SELECT account_id, key_hash
       FROM unresolved
      WHERE next_try_at <= payonce_now()
      ORDER BY next_try_at, claim_id
      LIMIT $2::int
      FOR UPDATE SKIP LOCKED
   ), taken AS (
     UPDATE unresolved u
        SET next_try_at = payonce_now() + $1::int * interval '1 millisecond'
       FROM due
      WHERE u.account_id = due.account_id AND u.key_hash = due.key_hash
     RETURNING u.account_id, u.key_hash, u.claim_id
   )
   SELECT taken.account_id, taken.key_hash, k.state, k.ends_at <= payonce_now() AS ended
     FROM taken
     JOIN idempotency_keys k ON k.account_id = taken.account_id AND k.key_hash = taken.key_hash
    ORDER BY taken.claim_id`,
);

/** Removes an item whose key is finished or canceled; no other. */
export const FORGET_FINISHED = statement(
  'payments.forget_finished',
  `DELETE FROM unresolved u
    USING idempotency_keys k
    WHERE u.account_id = $1::uuid AND u.key_hash = $2::bytea
      AND k.account_id = u.account_id AND k.key_hash = u.key_hash AND k.state IN ('finished', 'canceled')`,
);

/** Somebody else holds the lease of a due item: look again soon, not only when that lease would end. */
export const LOOK_AGAIN_SOON = statement(
  'payments.look_again_soon',
  `UPDATE unresolved
      SET next_try_at = least(next_try_at, payonce_now() + interval '1 second')
    WHERE account_id = $1::uuid AND key_hash = $2::bytea`,
);
