import { statement } from '#postgres/statement.js';

export type DifferenceRow = {
  kind: string;
  status: 'open' | 'closed';
  closed_by: string | null;
  reason_code: string | null;
  write_off_asked_by: string | null;
};

/** A break as it stands, held until the commit; what is of the other mode is not there. */
export const LOCK_DIFFERENCE = statement<DifferenceRow>(
  'operations.lock_difference',
  `SELECT b.kind, b.status, b.closed_by, b.reason_code, b.write_off_asked_by
     FROM breaks b
    WHERE b.id = $2::uuid
      AND coalesce((SELECT a.mode FROM accounts a WHERE a.id = b.account_id), $1::text) = $1::text
      FOR UPDATE OF b`,
);

/** A person has settled it. */
export const CLOSE_DIFFERENCE = statement(
  'operations.close_difference',
  `UPDATE breaks
      SET status = 'closed', closed_at = payonce_now(), closed_by = $2::text, reason_code = $3::text, reason = $4::text
    WHERE id = $1::uuid`,
);

/** It shall be written off: a second person approves, or does not. */
export const ASK_WRITE_OFF = statement(
  'operations.ask_write_off',
  `UPDATE breaks
      SET write_off_asked_by = $2::text, reason_code = $3::text, reason = $4::text
    WHERE id = $1::uuid`,
);

/** Somebody has to settle it after all. */
export const REOPEN_DIFFERENCE = statement(
  'operations.reopen_difference',
  `UPDATE breaks
      SET status = 'open', closed_at = NULL, closed_by = NULL, reason_code = NULL, reason = NULL,
          write_off_asked_by = NULL
    WHERE id = $1::uuid`,
);
