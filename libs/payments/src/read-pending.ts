import type { Db } from '#postgres/db.js';
import type { Payment } from './payment.js';
import { paymentFrom } from './payment.sql.js';
import { FIND_PENDING } from './queue.sql.js';

/** A payment that is pending, or null if it is not (any more). */
export async function readPending(
  db: Db,
  accountId: string,
  id: string | null,
): Promise<Payment | null> {
  const [row] = await db.run(FIND_PENDING, [accountId, id]);
  return row ? paymentFrom(accountId, row) : null;
}
