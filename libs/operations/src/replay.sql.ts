import { statement } from '#postgres/statement.js';

/** A worker has it in its hands: it is applied anyhow, and nobody takes it away. */
const RUNNING = `i.state = 'received' AND i.taken_at IS NOT NULL AND i.next_try_at > payonce_now()`;

const SET_BACK = `
     UPDATE webhook_inbox i
        SET state = 'received', next_try_at = payonce_now(), applied_at = NULL, tries = 0, reason = NULL
       FROM chosen c
      WHERE i.processor_name = c.processor_name AND i.event_id = c.event_id AND NOT c.running`;

/**
 * Sets one event back to be applied again, and writes the audit row, in one commit. An event belongs to the
 * mode of its account; one whose account nobody knows yet belongs to both.
 */
export const REPLAY_EVENT = statement<{ running: boolean }>(
  'operations.replay_event',
  `WITH chosen AS MATERIALIZED (
     SELECT i.*, ${RUNNING} AS running
       FROM webhook_inbox i
       LEFT JOIN accounts a ON a.id = i.account_id
      WHERE i.processor_name = $1::text AND i.event_id = $2::text AND (a.id IS NULL OR a.mode = $3::text)
        FOR UPDATE OF i
   ), replayed AS (${SET_BACK}
   ), audited AS (
     INSERT INTO audit_log (mode, actor, action, target, reason, before, after)
     SELECT $3::text, $4::text, 'inbox.replay', 'event:' || event_id, $5::text,
            json_build_object('state', state, 'tries', tries, 'reason', reason, 'running', running),
            CASE WHEN running
              THEN json_build_object('state', state, 'tries', tries, 'reason', reason, 'running', running)
              ELSE json_build_object('state', 'received', 'tries', 0, 'reason', NULL, 'running', false)
            END
       FROM chosen
   )
   SELECT running FROM chosen`,
);

/** The same for all events that were stored in a range of time, unless there are more than $6: then nothing is done. */
export const REPLAY_RANGE = statement<{ found: number; replayed: number }>(
  'operations.replay_range',
  `WITH chosen AS MATERIALIZED (
     SELECT i.processor_name, i.event_id, i.state, ${RUNNING} AS running
       FROM webhook_inbox i
       LEFT JOIN accounts a ON a.id = i.account_id
      WHERE i.processor_name = $1::text AND i.stored_at >= $2::timestamptz AND i.stored_at < $3::timestamptz
        AND (a.id IS NULL OR a.mode = $4::text)
      ORDER BY i.stored_at, i.event_id
      LIMIT $6::int + 1
        FOR UPDATE OF i
   ), bounded AS (
     SELECT count(*)::int AS found, count(*) <= $6::int AS within FROM chosen
   ), replayed AS (${SET_BACK}
        AND (SELECT within FROM bounded)
     RETURNING 1
   ), audited AS (
     INSERT INTO audit_log (mode, actor, action, target, reason, before, after)
     SELECT $4::text, $5::text, 'inbox.replay', $7::text, $8::text,
            json_build_object('states', coalesce((
              SELECT json_object_agg(state, n ORDER BY state)
                FROM (SELECT state, count(*) AS n FROM chosen GROUP BY state) AS counted), '{}')),
            json_build_object('replayed', (SELECT count(*) FROM replayed))
       FROM bounded
      WHERE within
   )
   SELECT found, (SELECT count(*)::int FROM replayed) AS replayed FROM bounded`,
);
