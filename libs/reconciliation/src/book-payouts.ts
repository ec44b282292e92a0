import { kindColumns } from '#ledger/entry-kinds.js';
import type { Tx } from '#postgres/db.js';
import type { LongSession } from '#postgres/long-session.js';
import { bookMissing } from './book-missing.js';
import { neighboursOf } from './neighbours.js';
import {
  BOOK_PAID_OUT,
  COUNT_PAID_OUT,
  FIND_BOOKED_OTHERWISE,
  FIND_PAID_OUT,
  FORGET_PAID_OUT,
  LIST_SUPERSEDED,
  MAKE_BOOKED_OTHERWISE,
  MAKE_PAID_OUT,
  TELL_BOOKED_OTHERWISE,
} from './payouts.sql.js';

/** Entries of one transaction: nobody waits long for a booking of the same hour. */
const PIECE = 20_000;
const KINDS = ['payout', 'payout_returned'] as const;

export type PayoutOrder = {
  importId: string;
  date: string;
  processorName: string;
  /** Breaks that keep a payment back while they are open. */
  kinds: readonly string[];
  progress: (booked: number) => void;
  signal?: AbortSignal | undefined;
};

/**
 * What is booked of payouts, and what the reports that are believed do not tell any more. Belongs into the comparison,
 * behind all that may explain it. Most days nothing was superseded, and nothing is read.
 */
export async function findBookedOtherwise(
  tx: Pick<Tx, 'run'>,
  { importId, date, processorName }: Pick<PayoutOrder, 'importId' | 'date' | 'processorName'>,
  before: string[],
): Promise<void> {
  await tx.run(MAKE_BOOKED_OTHERWISE, []);
  const superseded = await tx.run(LIST_SUPERSEDED, [processorName, date]);
  if (superseded.length === 0) return;
  const ids = superseded.map(({ id }) => id);
  await tx.run(FIND_BOOKED_OTHERWISE, [importId, before, processorName, ids]);
  await tx.run(TELL_BOOKED_OTHERWISE, [importId]);
}

/**
 * Books what the processor paid out of each payment, by the payouts of a report that has been compared. Run twice,
 * what is booked is not found; run half, what is left is; at once, the unique rule of the ledger refuses the piece,
 * and what is left is looked for anew. Returns how many entries it booked.
 */
export async function bookPayouts(session: LongSession, order: PayoutOrder): Promise<number> {
  await session.run(MAKE_PAID_OUT, []);
  let booked = 0;
  await bookMissing(async () => {
    for await (const entries of bookPieces(session, order)) {
      booked += entries;
      order.progress(booked);
    }
    return 'done';
  });
  return booked;
}

async function* bookPieces(session: LongSession, order: PayoutOrder): AsyncGenerator<number> {
  const { importId, date, processorName, kinds, signal } = order;
  const { before } = await neighboursOf(session, processorName, date);
  await session.run(FORGET_PAID_OUT, []);
  const [row] = await session.run(FIND_PAID_OUT, [importId, before, processorName, kinds]);
  const found = row?.found ?? 0;
  await session.run(COUNT_PAID_OUT, []);
  for (let done = 0; done < found; done += PIECE) {
    signal?.throwIfAborted();
    const end = Math.min(done + PIECE, found);
    await session.run(BOOK_PAID_OUT, [done, end, ...kindColumns(KINDS)]);
    yield end - done;
  }
}
