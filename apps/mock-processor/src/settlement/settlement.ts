import { ORDINARY_FEES, type FeeRow } from '../fee.js';
import { dayOf } from './day.js';
import { ORDINARY_FORM, type Form } from './form.js';
import type { Planted } from './planted.js';

/** A change of what the reports are made of. It is in the book, so the same book gives the same reports. */
export type SettlementChange =
  | { fees: readonly FeeRow[] }
  | { planted: Planted[] }
  /** What was planted into the report of that day is taken back: all of it, or one kind. */
  | { uprooted: string; kind: string | null }
  | { date: string; form: Form };

/** What the settlement reports are made of, by day, beside the balance transactions themselves. */
export class Settlement {
  fees: readonly FeeRow[] = ORDINARY_FEES;
  /** Charges that something has happened to since: a refund or a dispute. */
  readonly stirred = new Set<string>();
  /** A list of its own after each change: a report that is being sent keeps the one that it began with. */
  planted: readonly Planted[] = [];
  /** Payments that something was planted on. */
  hitPayments: ReadonlySet<string> = new Set();
  readonly #forms = new Map<string, Form>();
  readonly #paid = new Map<string, string[]>();
  readonly #transactions = new Map<string, string[]>();

  apply(change: SettlementChange): void {
    if ('fees' in change) this.fees = change.fees;
    else if ('form' in change) this.#forms.set(change.date, change.form);
    else if ('planted' in change) this.#plant([...this.planted, ...change.planted]);
    else this.#plant(this.planted.filter((planted) => !isMeant(planted, change)));
  }

  plantedOf(date: string): Planted[] {
    return this.planted.filter((planted) => planted.date === date);
  }

  /** How the report of a day is written. */
  formOf(date: string): Form {
    return this.#forms.get(date) ?? ORDINARY_FORM;
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

  #plant(planted: readonly Planted[]): void {
    this.planted = planted;
    this.hitPayments = new Set(planted.map(({ intentId }) => intentId));
  }
}

function isMeant(planted: Planted, change: { uprooted: string; kind: string | null }): boolean {
  return planted.date === change.uprooted && (change.kind ?? planted.kind) === planted.kind;
}

/** What this file must know of a balance transaction. */
type Booked = { id: string; createdMs: number; type: string; currency: string };

function push(lists: Map<string, string[]>, name: string, value: string): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}
