import { statement } from '#postgres/statement.js';

/** Why no unseen key may be claimed: the database recovers, or the operation was imported. `known`: no import either. */
export type Hold = 'recovering' | 'imported' | 'known';

/** Whether what was made at the processor since this database was set back has still to be imported. */
export const RECOVERING = `EXISTS (SELECT 1 FROM recoveries WHERE opened_at IS NULL)`;

/**
 * Part of every claim, so that it costs no round trip and no replica can miss it.
 *
 * @keeps P1: while it is not known what was charged, nothing is; and what was imported is not charged again.
 */
export const HOLD = (account: string, processorKey: string) => `CASE
              WHEN ${RECOVERING} THEN 'recovering'
              WHEN EXISTS (
                     SELECT 1 FROM imported_operations i
                      WHERE i.account_id = ${account}::uuid AND i.processor_key = ${processorKey}::uuid) THEN 'imported'
            END`;

/** The reverse for an import: nothing that has an operation here, and nothing once the service is open. */
export const KNOWN = (account: string, processorKey: string) => `CASE
              WHEN NOT ${RECOVERING} THEN 'known'
              WHEN EXISTS (
                     SELECT 1 FROM operations o
                      WHERE o.account_id = ${account}::uuid AND o.processor_key = ${processorKey}::uuid) THEN 'known'
            END`;

/** The note that finds an imported operation again. A second one undoes the whole import. */
export const IMPORTED = (processorKey: string, from: string) => `imported AS (
     INSERT INTO imported_operations (account_id, processor_key, operation_id, payment_id, imported_at)
     SELECT account_id, ${processorKey}::uuid, operation_id, payment_id, claimed_at
       FROM ${from}
   )`;

/** Once for each instant: a setting that stays behind after the recovery changes nothing. */
export const ENTER_RECOVERY = statement<{ since: Date }>(
  'payments.enter_recovery',
  `INSERT INTO recoveries (since)
   VALUES ($1::timestamptz)
   ON CONFLICT (since) DO NOTHING
   RETURNING since`,
);

/**
 * Makes the oldest open recovery that of importer $1 for $2 milliseconds, unless it is another's. Not before $3
 * milliseconds have passed since it began: what was sent last may not be in the processor's lists yet.
 */
export const TAKE_RECOVERY = statement<{ since: Date }>(
  'payments.take_recovery',
  `UPDATE recoveries
      SET importer = $1::uuid, importing_until = payonce_now() + $2::int * interval '1 millisecond'
    WHERE since = (SELECT since FROM recoveries WHERE opened_at IS NULL ORDER BY since LIMIT 1)
      AND opened_at IS NULL
      AND began_at <= payonce_now() - $3::int * interval '1 millisecond'
      AND (importer = $1::uuid OR importing_until IS NULL OR importing_until <= payonce_now())
   RETURNING since`,
);

/** All is imported: claims and sends go on. Whoever's pass was whole may say so. */
export const OPEN_RECOVERY = statement<{ began_at: Date; opened_at: Date }>(
  'payments.open_recovery',
  `UPDATE recoveries
      SET opened_at = payonce_now(), importer = NULL, importing_until = NULL
    WHERE since = $1::timestamptz AND opened_at IS NULL
   RETURNING began_at, opened_at`,
);

/** Gives back a pass that was not whole, so that the next one need not wait. */
export const LEAVE_RECOVERY = statement(
  'payments.leave_recovery',
  `UPDATE recoveries
      SET importer = NULL, importing_until = NULL
    WHERE since = $1::timestamptz AND importer = $2::uuid AND opened_at IS NULL`,
);

export const IS_RECOVERING = statement<{ recovering: boolean }>(
  'payments.is_recovering',
  `SELECT ${RECOVERING} AS recovering`,
);
