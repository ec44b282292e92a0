import { ENTRY_KINDS } from '#ledger/entry-kinds.js';
import { violatedConstraint } from '#postgres/errors.js';
import type { LongSession } from '#postgres/long-session.js';
import { LIST_NEIGHBOURS } from './import.sql.js';
import {
  BOOK_PAID_OUT,
  COUNT_PAID_OUT,
  FIND_PAID_OUT,
  FORGET_PAID_OUT,
  MAKE_PAID_OUT,
} from './payouts.sql.js';

/** Entries of one transaction: nobody waits long for a booking of the same hour. */
const PIECE = 20_000;
/** Each round that is refused, somebody else has booked. */
const ROUNDS_MAX = 10;
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
 * Books what the processor paid out of each payment, by the payouts of a report that has been compared. Run twice,
 * what is booked is not found; run half, what is left is; at once, the unique rule of the ledger refuses the piece,
 * and what is left is looked for anew. Returns how many entries it booked.
 */
export async function bookPayouts(session: LongSession, order: PayoutOrder): Promise<number> {
  await session.run(MAKE_PAID_OUT, []);
  let booked = 0;
  for (let round = 1; ; round++) {
    try {
      for await (const entries of bookPieces(session, order)) {
        booked += entries;
        order.progress(booked);
      }
      return booked;
    } catch (error) {
      // Somebody else has booked one of them meanwhile: it is not missing any more.
      if (violatedConstraint(error) !== 'ledger_entries_once' || round === ROUNDS_MAX) throw error;
    }
  }
}

async function* bookPieces(session: LongSession, order: PayoutOrder): AsyncGenerator<number> {
  const { importId, date, processorName, kinds, signal } = order;
  const neighbours = await session.run(LIST_NEIGHBOURS, [processorName, date]);
  const before = neighbours.filter(({ is_before }) => is_before).map(({ id }) => id);
  await session.run(FORGET_PAID_OUT, []);
  const [row] = await session.run(FIND_PAID_OUT, [importId, before, processorName, kinds]);
  const found = row?.found ?? 0;
  await session.run(COUNT_PAID_OUT, []);
  const accounts = [
    KINDS,
    KINDS.map((kind) => ENTRY_KINDS[kind].debit),
    KINDS.map((kind) => ENTRY_KINDS[kind].credit),
  ];
  for (let done = 0; done < found; done += PIECE) {
    signal?.throwIfAborted();
    const end = Math.min(done + PIECE, found);
    await session.run(BOOK_PAID_OUT, [done, end, ...accounts]);
    yield end - done;
  }
}
