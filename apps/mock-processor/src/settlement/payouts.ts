import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { State, Transaction } from '../state.js';
import { Draft, nowMs, type World } from '../world.js';
import { endOf } from './day.js';
import { linesOfDay, type Line } from './lines.js';

/**
 * Adds the payout of each currency behind the lines that it consists of, whose sum it takes away; off by
 * what was planted.
 */
export function* withPayouts(
  lines: Iterable<Line>,
  payouts: DayPayouts,
  shifts: ReadonlyMap<string, number>,
): Generator<Line> {
  const sums = new Map<string, number>(payouts.currencies.map((currency) => [currency, 0]));
  for (const line of lines) {
    add(sums, line);
    yield { ...line, payoutId: payouts.idOf(line.currency) };
  }
  for (const [currency, sum] of sorted(sums)) {
    const line = payoutLine(payouts, currency, sum);
    yield { ...line, gross: line.gross + (shifts.get(currency) ?? 0) };
  }
}

/** The payouts of a day that is over. */
export type DayPayouts = {
  idOf(currency: string): string;
  transactionIdOf(currency: string): string;
  /** Currencies that the book has a payout in: it is printed whatever became of the lines. */
  currencies: string[];
  /** The last instant of the day. */
  atMs: number;
};

export function payoutsOf(state: State, date: string): DayPayouts {
  // Each book has payouts of its own, which follow from it: the first transaction of the day tells it.
  const [first = ''] = state.settlement.transactionsOf(date);
  const name = (currency: string) => nameFrom(`${date} ${currency} ${first}`);
  return {
    idOf: (currency) => `po_${name(currency)}`,
    transactionIdOf: (currency) => `txn_${name(currency)}`,
    currencies: state.settlement.paidIn(date),
    atMs: endOf(date) - 1,
  };
}

export function isOver(world: World, date: string): boolean {
  return endOf(date) <= nowMs(world);
}

/** Books the payouts of a day that is over, once: whoever asks for its report first lets them be made. */
export async function payOut(world: World, date: string): Promise<void> {
  const { state } = world.book;
  if (!isOver(world, date) || state.settlement.paidIn(date).length > 0) return;
  const sums = new Map<string, number>();
  let count = 0;
  for (const line of linesOfDay(state, date)) {
    add(sums, line);
    count += 1;
    if (count % LINES_A_TURN === 0) await setImmediate();
  }
  if (sums.size === 0 || state.settlement.paidIn(date).length > 0) return;
  const payouts = payoutsOf(state, date);
  const draft = new Draft(world, { requestId: null, idempotencyKey: null });
  for (const [currency, sum] of sorted(sums)) book(draft, payoutLine(payouts, currency, sum));
  await world.book.commit(draft.entry());
}

/** How many lines are worked on before others get their turn. */
export const LINES_A_TURN = 5_000;

/** Letters and digits that follow from a text, as long as those of Stripe's identifiers. */
export function nameFrom(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 24);
}

function book(draft: Draft, line: Line): void {
  const { currency, gross, createdMs, transactionId, sourceId } = line;
  draft.put<Transaction>({
    object: 'balance_transaction',
    id: transactionId,
    createdMs,
    type: 'payout',
    amount: gross,
    fee: 0,
    currency,
    sourceId,
  });
  draft.move({
    operation: 'payout',
    id: sourceId,
    parent: null,
    amount: -gross,
    currency,
    status: 'paid',
    metadata: {},
  });
}

function payoutLine(payouts: DayPayouts, currency: string, sum: number): Line {
  const id = payouts.idOf(currency);
  return {
    transactionId: payouts.transactionIdOf(currency),
    createdMs: payouts.atMs,
    availableMs: payouts.atMs,
    currency,
    gross: sum === 0 ? 0 : -sum,
    fee: 0,
    category: 'payout',
    sourceId: id,
    chargeId: '',
    intentId: '',
    payoutId: id,
    account: '',
    intent: '',
    isAlone: false,
  };
}

function add(sums: Map<string, number>, { currency, gross, fee }: Line): void {
  const sum = (sums.get(currency) ?? 0) + gross - fee;
  if (!Number.isSafeInteger(sum)) throw new Error(`the sum in ${currency} is too large`);
  sums.set(currency, sum);
}

function sorted(sums: Map<string, number>): [string, number][] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
}
