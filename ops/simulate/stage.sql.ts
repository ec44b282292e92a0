/** A statement that its session plans once. */
export type Prepared = { name: string; text: string };

/** When every schedule begins: an ordinary noon, 2030-01-01. */
export const START_MS = 1_893_499_200_000;

export const ACCOUNTS = [
  { id: '01890000-0000-7000-8000-00000000000a', name: 'ann' },
  { id: '01890000-0000-7000-8000-00000000000b', name: 'bob' },
] as const;

const TABLES =
  `attempts, audit_log, authorizations, breaks, disputes, idempotency_keys, ledger_entries, operations,
  order_slots, outbox_events, payment_steps, payments, refunds, saved_answers, unresolved, webhook_cursors, webhook_inbox`
    .split(',')
    .map((name) => name.trim());

/**
 * Time is what the simulation says, and identifiers follow from the name of whoever draws them. What only grows
 * may be emptied between two schedules, and by nobody else.
 */
export const BEND = `
  CREATE TABLE simulation_clock (ms float8 NOT NULL);
  INSERT INTO simulation_clock VALUES (${START_MS});
  GRANT SELECT ON simulation_clock TO PUBLIC;
  CREATE OR REPLACE FUNCTION payonce_now() RETURNS timestamptz LANGUAGE sql STABLE
    AS $$ SELECT to_timestamp((SELECT ms FROM public.simulation_clock) / 1000) $$;
  CREATE OR REPLACE FUNCTION payonce_random_uuid() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
    DECLARE
      drawn int := coalesce(nullif(current_setting('simulation.drawn', true), ''), '0')::int + 1;
    BEGIN
      PERFORM set_config('simulation.drawn', drawn::text, true);
      RETURN overlay(overlay(md5(current_setting('simulation.stream', true) || '/' || drawn)
                     PLACING '4' FROM 13 FOR 1) PLACING '8' FROM 17 FOR 1)::uuid;
    END $$;
  CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('simulation.resets', true) = 'yes' THEN RETURN OLD; END IF;
      RAISE EXCEPTION 'the ledger only grows: % on % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'ledger_only_grows';
    END $$;
  CREATE OR REPLACE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('simulation.resets', true) = 'yes' THEN RETURN OLD; END IF;
      RAISE EXCEPTION 'the audit log only grows: % on % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_only_grows';
    END $$;
  DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = %L', current_database(), '20ms');
  END $$;
  ${TABLES.filter((name) => name !== 'saved_answers')
    .map((name) => `ALTER TABLE ${name} SET (autovacuum_enabled = false);`)
    .join('\n  ')}`;

export const RESET = `
  BEGIN;
  SET LOCAL session_replication_role = replica;
  SET LOCAL simulation.resets = 'yes';
  ${TABLES.map((name) => `DELETE FROM ${name};`).join(' ')}
  UPDATE simulation_clock SET ms = ${START_MS};
  UPDATE sweep_marks SET mark = '00000000-0000-0000-0000-000000000000', started_at = payonce_now();
  COMMIT`;

/** What is not yet as it will stay, and when somebody is due to look at it again. */
export const UNSETTLED: Prepared = {
  name: 'simulate.unsettled',
  text: `
  SELECT (SELECT count(*)::int FROM idempotency_keys k
           WHERE k.state IN ('started', 'queued')
             AND NOT EXISTS (SELECT 1 FROM unresolved u
                              WHERE u.account_id = k.account_id AND u.key_hash = k.key_hash
                                AND u.review_at IS NOT NULL)) AS keys,
         (SELECT count(*)::int FROM webhook_inbox i
           WHERE i.state = 'received'
             -- News of what a person has to decide about waits for that person, too.
             AND NOT EXISTS (SELECT 1 FROM unresolved u
                               JOIN payments p ON p.account_id = u.account_id AND p.id = u.payment_id
                              WHERE u.review_at IS NOT NULL AND p.processor_id = i.object_id)) AS events,
         (SELECT (extract(epoch FROM min(due)) * 1000)::float8 FROM (
            SELECT min(next_try_at) AS due FROM unresolved WHERE review_at IS NULL
            UNION ALL
            SELECT min(locked_until) FROM idempotency_keys WHERE state = 'started'
            UNION ALL
            SELECT min(next_try_at) FROM webhook_inbox WHERE state = 'received') AS all_due
           WHERE due > payonce_now()) AS due_ms`,
};

export const createDatabase = (name: string) => `CREATE DATABASE ${name}`;
export const dropDatabase = (name: string) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
export const ADD_ACCOUNT = `INSERT INTO accounts (id, name, mode) VALUES ($1, $2, 'test')`;
export const SET_CLOCK: Prepared = {
  name: 'simulate.set_clock',
  text: 'UPDATE simulation_clock SET ms = $1::float8',
};

/** The limits of a session go by the wall clock, which decides nothing here. */
export const NO_LIMITS = `
  SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0;
  SET client_connection_check_interval = 0; SET synchronous_commit = off;
  SET plan_cache_mode = force_generic_plan; SET jit = off`;
export const OWN_PID = 'SELECT pg_backend_pid() AS pid';
export const begin = (stream: string) => `
  BEGIN;
  SELECT set_config('simulation.stream', '${stream}', true), set_config('simulation.drawn', '0', true)`;

export const TRY_LOCK = 'SELECT pg_try_advisory_lock($1) AS ours';
export const LOCK = 'SELECT pg_advisory_lock($1, $2)';
export const UNLOCK = 'SELECT pg_advisory_unlock($1, $2)';
export const UNLOCK_ALL = 'SELECT pg_advisory_unlock_all()';
export const BLOCKERS: Prepared = {
  name: 'simulate.blockers',
  text: 'SELECT pid, pg_blocking_pids(pid) AS blockers FROM unnest($1::int[]) AS pid',
};
export const CANCEL = 'SELECT pg_cancel_backend($1)';
