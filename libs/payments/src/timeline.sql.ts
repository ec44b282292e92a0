import { statement } from '#postgres/statement.js';

export type ServerRow = {
  system_identifier: string;
  /** Null on a server that is itself in recovery: a standby, or one that is being restored. */
  timeline: number | null;
  known: boolean;
};

/**
 * Which server this is, and whether this database has been served by it before. The timeline is that of the log that is
 * being written: the one in the control file is of the last checkpoint, and lags behind a promotion.
 */
export const RECOGNIZE_SERVER = statement<ServerRow>(
  'payments.recognize_server',
  `WITH server AS MATERIALIZED (
     SELECT c.system_identifier,
            CASE WHEN NOT pg_is_in_recovery()
                 THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline
       FROM pg_control_system() AS c
   )
   SELECT s.system_identifier, s.timeline,
          EXISTS (SELECT 1 FROM timelines t
                   WHERE t.system_identifier = s.system_identifier AND t.timeline = s.timeline) AS known
     FROM server s`,
);

/** The newest instant that this database knows of: its last claim; without one its oldest account. */
const NEWEST = `date_trunc('milliseconds', least(payonce_now(), coalesce(
              (SELECT to_timestamp(('x' || left(replace(claim_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
                 FROM idempotency_keys ORDER BY claim_id DESC LIMIT 1),
              (SELECT min(created_at) FROM accounts),
              payonce_now())))`;

/**
 * Notes a server that was not seen before, and begins a recovery since the newest instant that is known here: one
 * statement, so that it is both or nothing. Of any number of connections one does it, the others wait for it. The
 * first server of all is only noted. No row: another connection was first.
 *
 * A recovery of that very instant may be over: then nothing was claimed since, and it begins anew.
 *
 * @keeps P1: what is committed with this is read by every claim from now on.
 */
export const NOTE_SERVER = statement<{ since: Date | null }>(
  'payments.note_server',
  `WITH seen AS (
     INSERT INTO timelines (system_identifier, timeline, since)
     SELECT $1::bigint, $2::int, CASE WHEN EXISTS (SELECT 1 FROM timelines) THEN ${NEWEST} END
     ON CONFLICT (system_identifier, timeline) DO NOTHING
     RETURNING since
   ), entered AS (
     INSERT INTO recoveries (since)
     SELECT since FROM seen WHERE since IS NOT NULL
     ON CONFLICT (since) DO UPDATE
        SET began_at = payonce_now(), opened_at = NULL, importer = NULL, importing_until = NULL
   )
   SELECT since FROM seen`,
);

/** Notes server $1 and $2 as one that nothing was lost with. */
export const NOTE_NOTHING_LOST = statement(
  'payments.note_nothing_lost',
  `INSERT INTO timelines (system_identifier, timeline)
   VALUES ($1::bigint, $2::int)
   ON CONFLICT (system_identifier, timeline) DO NOTHING`,
);

/** Opens what another server began, and nothing that somebody declared. */
export const OPEN_NOTHING_LOST = statement<{ since: Date }>(
  'payments.open_nothing_lost',
  `UPDATE recoveries
      SET opened_at = payonce_now(), importer = NULL, importing_until = NULL
    WHERE opened_at IS NULL AND since IN (SELECT since FROM timelines)
   RETURNING since`,
);
