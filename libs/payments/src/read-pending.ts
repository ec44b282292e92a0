import type { Db } from '#postgres/db.js';
import type { Payment } from './payment.js';
import { FIND_PENDING, type PendingRow } from './queue.sql.js';

/** A payment that is pending, or null if it is not (any more). */
export async function readPending(
  db: Db,
  accountId: string,
  id: string | null,
): Promise<Payment | null> {
  const [row] = await db.run(FIND_PENDING, [accountId, id]);
  return row ? pendingPayment(accountId, row) : null;
}

/** The payment of a row that a statement of ours returned. Nothing has happened to it yet. */
export function pendingPayment(accountId: string, row: PendingRow): Payment {
  return {
    id: row.payment_id,
    accountId,
    status: 'pending',
    amount: Number(row.amount),
    amountCaptured: 0,
    amountRefunded: 0,
    amountDisputed: 0,
    currency: row.currency,
    paymentMethod: row.payment_method,
    orderId: row.order_id,
    description: row.description,
    metadata: row.metadata,
    capture: row.capture,
    failure: null,
    processorName: row.processor_name,
    processorId: null,
    createdAt: row.created_at,
    settledAt: null,
  };
}
