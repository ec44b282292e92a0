import type { Db } from '#postgres/db.js';
import { ENTER_RECOVERY, IS_RECOVERING } from './recovery.sql.js';

/**
 * Says that this database was set back to `since`, for all replicas: they read it in every claim and takeover. False:
 * it was said before. That recovery may be over by now, and is not begun again.
 */
export async function enterRecovery(db: Db, since: Date): Promise<boolean> {
  return (await db.run(ENTER_RECOVERY, [since])).length > 0;
}

export async function isRecovering(db: Db): Promise<boolean> {
  const [row] = await db.run(IS_RECOVERING, []);
  return row?.recovering ?? false;
}
