import { statement } from '#postgres/statement.js';

/** Takes effect when the server starts again. A segment that is there already is never written over. */
export const archiveInto = (folder: string) => [
  statement('drill.archive_mode', `ALTER SYSTEM SET archive_mode = 'on'`),
  statement(
    'drill.archive_command',
    `ALTER SYSTEM SET archive_command = 'mkdir -p "${folder}" && test ! -f "${folder}/%f" && cp "%p" "${folder}/%f.part" && mv "${folder}/%f.part" "${folder}/%f"'`,
  ),
];

export const BEGIN_BACKUP = statement(
  'drill.begin_backup',
  `SELECT pg_backup_start('drill', fast => true)`,
);

export const END_BACKUP = statement<{ labelfile: string }>(
  'drill.end_backup',
  'SELECT labelfile FROM pg_backup_stop(wait_for_archive => true)',
);

/** A place in the log that a restore can stop at, and the instant that it is at, by the clock of the services. */
export const MARK = statement<{ now: Date; segment: string }>(
  'drill.mark',
  `SELECT payonce_now() AS now, pg_walfile_name(pg_create_restore_point($1::text)) AS segment`,
);

/** Begins a new segment, so that the one before it is archived. */
export const SWITCH_SEGMENT = statement('drill.switch_segment', 'SELECT pg_switch_wal()');

export const IS_RESTORING = statement<{ restoring: boolean }>(
  'drill.is_restoring',
  'SELECT pg_is_in_recovery() AS restoring',
);
