/**
 * How every record step begins: the key of $1 and $2 is finished, if it is still held under the lease of $3.
 * Whoever lost the lease finds no row, and changes nothing after it.
 *
 * @keeps P5
 */
export const FINISHED_KEY = `key AS (
     UPDATE idempotency_keys
        SET state = 'finished',
            locked_until = payonce_now(),
            answer_day = (payonce_now() AT TIME ZONE 'UTC')::date
      WHERE account_id = $1::uuid AND key_hash = $2::bytea
        AND state = 'started'
        AND lease_token = $3::uuid
     RETURNING account_id, key_hash, payment_id, operation_id, answer_day
   )`;
