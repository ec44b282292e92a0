import { ORDINARY_FEES, type FeeRow } from '../fee.js';
import { dayOf } from './day.js';

/** A change of what the reports are made of. It is in the book, so the same book gives the same reports. */
export type SettlementChange = { fees: readonly FeeRow[] };

/** What the settlement reports are made of, by day, beside the balance transactions themselves. */
export class Settlement {
  fees: readonly FeeRow[] = ORDINARY_FEES;
  /** Charges that something has happened to since: a refund or a dispute. */
  readonly stirred = new Set<string>();
  readonly #paid = new Map<string, string[]>();
  readonly #transactions = new Map<string, string[]>();

  apply(change: SettlementChange): void {
    this.fees = change.fees;
  }

  booked({ id, createdMs, type, currency }: Booked): void {
    const date = dayOf(createdMs);
    if (type === 'payout') push(this.#paid, date, currency);
    else push(this.#transactions, date, id);
  }

  /** The currencies that the payouts of a day were made in: none until they are made. */
  paidIn(date: string): string[] {
    return this.#paid.get(date) ?? [];
  }

  /** In the order of the book, payouts apart. */
  transactionsOf(date: string): readonly string[] {
    return this.#transactions.get(date) ?? [];
  }
}

/** What this file must know of a balance transaction. */
type Booked = { id: string; createdMs: number; type: string; currency: string };

function push(lists: Map<string, string[]>, name: string, value: string): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}
