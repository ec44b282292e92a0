import { statement } from '#postgres/statement.js';

/**
 * Takes a batch of authorizations that are due, each for one worker. An expired one is looked at again after an
 * hour, should its void have been refused; one that is in doubt after a minute.
 */
export const TAKE_DUE_AUTHORIZATIONS = statement<{
  account_id: string;
  payment_id: string;
  expired: boolean;
}>(
  'payments.take_due_authorizations',
  `WITH due AS (
     SELECT account_id, payment_id
       FROM authorizations
      WHERE due_at <= payonce_now()
      ORDER BY due_at, account_id, payment_id
      LIMIT $1::int
      FOR UPDATE SKIP LOCKED
   ), taken AS (
     UPDATE authorizations a
        SET due_at = payonce_now()
              + CASE WHEN a.expires_at <= payonce_now() THEN interval '1 hour' ELSE interval '1 minute' END
       FROM due
      WHERE a.account_id = due.account_id AND a.payment_id = due.payment_id
     RETURNING a.account_id, a.payment_id, a.expires_at
   )
   SELECT account_id, payment_id, expires_at <= payonce_now() AS expired
     FROM taken
    ORDER BY expires_at, account_id, payment_id`,
);

/** It is still there: nothing to do before its end. */
export const WAIT_FOR_EXPIRY = statement(
  'payments.wait_for_expiry',
  `UPDATE authorizations
      SET due_at = greatest(expires_at, payonce_now() + interval '1 minute')
    WHERE account_id = $1::uuid AND payment_id = $2::uuid`,
);

/** Somebody else's step is under way: look again soon. */
export const AUTHORIZATION_BUSY = statement(
  'payments.authorization_busy',
  `UPDATE authorizations
      SET due_at = payonce_now() + interval '1 minute'
    WHERE account_id = $1::uuid AND payment_id = $2::uuid`,
);
