import { statement } from '#postgres/statement.js';

/**
 * Stores an event, or counts one more delivery of it, in one statement. No row: the id is known with another
 * body, and the first stays as it is.
 */
export const RECEIVE_EVENT = statement<{ deliveries: number }>(
  'inbox.receive',
  `INSERT INTO webhook_inbox AS known (
          processor_name, event_id, type, object_id, payload, body_hash, state, next_try_at, deliveries,
          first_delivered_at, last_delivered_at, stored_at)
   SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::bytea, 'received', now.is, 1, now.is, now.is, now.is
     FROM (SELECT payonce_now() AS is) AS now
   ON CONFLICT (processor_name, event_id) DO UPDATE
      SET deliveries = known.deliveries + 1,
          first_delivered_at = coalesce(known.first_delivered_at, EXCLUDED.first_delivered_at),
          last_delivered_at = EXCLUDED.last_delivered_at
    WHERE known.body_hash = EXCLUDED.body_hash
   RETURNING deliveries`,
);

/** Which of these events the inbox does not know. */
export const FIND_UNSTORED = statement<{ event_id: string }>(
  'inbox.find_unstored',
  `SELECT listed.event_id
     FROM unnest($2::text[]) WITH ORDINALITY AS listed (event_id, n)
    WHERE NOT EXISTS (
            SELECT 1 FROM webhook_inbox i
             WHERE i.processor_name = $1::text AND i.event_id = listed.event_id)
    ORDER BY listed.n`,
);

/** Stores an event that was fetched, if no delivery had brought it. */
export const STORE_FETCHED = statement<{ event_id: string }>(
  'inbox.store_fetched',
  `INSERT INTO webhook_inbox (
          processor_name, event_id, type, object_id, payload, body_hash, state, next_try_at, deliveries, stored_at)
   VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::bytea, 'received', payonce_now(), 0, payonce_now())
   ON CONFLICT (processor_name, event_id) DO NOTHING
   RETURNING event_id`,
);

export type DueEvent = {
  event_id: string;
  type: string;
  object_id: string | null;
  payload: string;
  tries: number;
  waits: number;
  /** Milliseconds since it came. */
  age_ms: number;
};

/**
 * Takes the events that have been due for longest, each for one worker: their due time moves on by a lease,
 * so one whose worker dies comes due again. A younger row is left exactly as it is until its turn comes.
 */
export const TAKE_DUE_EVENTS = statement<DueEvent>(
  'inbox.take_due',
  `WITH due AS (
     SELECT processor_name, event_id, next_try_at
       FROM webhook_inbox
      WHERE state = 'received' AND next_try_at <= payonce_now() AND processor_name = $1::text
      ORDER BY next_try_at, stored_at, event_id
      LIMIT $3::int
      FOR UPDATE SKIP LOCKED
   ), taken AS (
     UPDATE webhook_inbox i
        SET next_try_at = payonce_now() + $2::int * interval '1 millisecond', taken_at = payonce_now()
       FROM due
      WHERE i.processor_name = due.processor_name AND i.event_id = due.event_id
     RETURNING i.event_id, i.type, i.object_id, i.payload, i.tries, i.waits, i.stored_at,
               due.next_try_at AS due_at
   )
   SELECT event_id, type, object_id, payload, tries, waits,
          (extract(epoch FROM payonce_now() - stored_at) * 1000)::float8 AS age_ms
     FROM taken
    ORDER BY due_at, stored_at, event_id`,
);

/** Ends the work on an event. Whoever else has ended it first is right too: then nothing changes. */
export const SETTLE_EVENT = statement<{ event_id: string }>(
  'inbox.settle',
  `UPDATE webhook_inbox
      SET state = $3::text, reason = $4::text, next_try_at = NULL, taken_at = NULL, account_id = $5::uuid, payment_id = $6::uuid,
          tries = tries + $7::int,
          applied_at = CASE WHEN $3::text = 'applied' THEN payonce_now() END
    WHERE processor_name = $1::text AND event_id = $2::text AND state = 'received'
   RETURNING event_id`,
);

/** Puts an event back for a while. */
export const POSTPONE_EVENT = statement(
  'inbox.postpone',
  `UPDATE webhook_inbox
      SET reason = $3::text, tries = tries + $4::int, waits = waits + 1, taken_at = NULL,
          next_try_at = payonce_now() + $5::int * interval '1 millisecond'
    WHERE processor_name = $1::text AND event_id = $2::text AND state = 'received'`,
);

/** How many events are not applied yet, and for how long the oldest has been there. */
export const READ_LAG = statement<{ events: number; seconds: number }>(
  'inbox.read_lag',
  `SELECT count(*)::int AS events,
          coalesce(extract(epoch FROM payonce_now() - min(stored_at)), 0)::float8 AS seconds
     FROM webhook_inbox
    WHERE state = 'received'`,
);

/**
 * Takes the turn to read the processor's list: one reader at a time, and once in a while. The first turn looks for
 * our first payment, since nobody may have read the list for as long as there have been payments.
 */
export const TAKE_CURSOR = statement<{ event_id: string | null; began_at: Date; now: Date }>(
  'inbox.take_cursor',
  `INSERT INTO webhook_cursors AS known (processor_name, began_at, next_walk_at)
   VALUES ($1::text,
           CASE WHEN EXISTS (SELECT FROM webhook_cursors WHERE processor_name = $1::text) THEN payonce_now()
                ELSE coalesce((SELECT min(created_at) FROM payments WHERE processor_name = $1::text), payonce_now()) END,
           payonce_now() + $2::int * interval '1 millisecond')
   ON CONFLICT (processor_name) DO UPDATE SET next_walk_at = EXCLUDED.next_walk_at
    WHERE known.next_walk_at <= payonce_now()
   RETURNING event_id, began_at, payonce_now() AS now`,
);

/** Moves the cursor on; with `$3`, the list goes on and the next turn may come at once. */
export const MOVE_CURSOR = statement(
  'inbox.move_cursor',
  `UPDATE webhook_cursors
      SET event_id = $2::text,
          next_walk_at = CASE WHEN $3::boolean THEN payonce_now() ELSE next_walk_at END
    WHERE processor_name = $1::text`,
);
