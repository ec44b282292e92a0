import { ENTRY_KINDS } from '#ledger/entry-kinds.js';
import type { Tx } from '#postgres/db.js';
import { SETTLE_EXCESS } from './dispute.sql.js';

/**
 * There is room on a payment again, since a refund was not made, came back, or a dispute was won: that much of its
 * disputes is the merchant's, and leaves suspense. Returns how much; 0 where no dispute stands above its payment.
 *
 * Belongs into the transaction of what makes room, behind the statement that changes the payment: that one takes
 * the payment's lock, and this one therefore sees every dispute. `sourceId` is the refund's, dispute's or break's.
 */
export async function settleExcess(
  tx: Tx,
  room: { accountId: string; paymentId: string; sourceId: string },
): Promise<number> {
  const kind = 'dispute_excess_settled';
  const { debit, credit } = ENTRY_KINDS[kind];
  const [settled] = await tx.run(SETTLE_EXCESS, [
    room.accountId,
    room.paymentId,
    room.sourceId,
    kind,
    debit,
    credit,
  ]);
  return Number(settled?.amount ?? 0);
}
