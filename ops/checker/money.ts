import { isSameAmount, minor, sumOf } from './amounts.js';
import type { BookLine, Row, Violation } from './books.js';
import { type World, groupBy, violation } from './world.js';

/** Debit and credit of each kind: the checker's own copy. */
const ACCOUNTS: Record<string, readonly [debit: string, credit: string]> = {
  charge: ['processor_clearing', 'merchant_payable'],
  processor_fee: ['processor_fees', 'processor_clearing'],
  capture: ['processor_clearing', 'merchant_payable'],
  refund: ['merchant_payable', 'processor_clearing'],
  refund_failed: ['processor_clearing', 'merchant_payable'],
  late_success: ['processor_clearing', 'suspense'],
  late_success_accepted: ['suspense', 'merchant_payable'],
  late_success_fee: ['processor_fees', 'processor_clearing'],
  late_success_refund: ['suspense', 'processor_clearing'],
  late_success_refund_failed: ['processor_clearing', 'suspense'],
  dispute: ['merchant_payable', 'processor_clearing'],
  dispute_excess: ['suspense', 'processor_clearing'],
  dispute_won: ['processor_clearing', 'merchant_payable'],
  dispute_excess_won: ['processor_clearing', 'suspense'],
  dispute_excess_settled: ['merchant_payable', 'suspense'],
  dispute_fee: ['processor_fees', 'processor_clearing'],
  dispute_fee_returned: ['processor_clearing', 'processor_fees'],
  payout: ['bank', 'processor_clearing'],
  payout_returned: ['processor_clearing', 'bank'],
};

/** What the processor keeps or pays out of what it holds: judged by itself, since it is told later. */
const FEES = ['processor_fee', 'late_success_fee'];
const APART = [...FEES, 'dispute_fee', 'dispute_fee_returned', 'payout', 'payout_returned'];
const isApart = ({ entry_kind: kind }: Row): boolean => APART.includes(String(kind));

/** What each line of the processor's book does to the money that it holds. */
export const SIGNS: Record<string, bigint> = {
  charge: 1n,
  capture: 1n,
  refund: -1n,
  refund_failed: 1n,
  dispute: -1n,
  dispute_won: 1n,
};

/** To the cent: each entry is one of its kind, and clients, payments, ledger and processor say the same sums. */
export function checkMoney(world: World, quiet: boolean): Violation[] {
  return [
    ...world.table('ledger_entries').flatMap(entry),
    ...[...world.operations.values()].flatMap((operation) =>
      operation['kind'] === 'charge' ? sums(world, operation, quiet) : [],
    ),
    ...(quiet ? totals(world) : []),
  ];
}

/** I18: an entry moves a positive amount between the two accounts of its kind. */
function entry(row: Row): Violation[] {
  const accounts = ACCOUNTS[String(row['entry_kind'])];
  const amount = minor(row['amount']);
  const right =
    accounts !== undefined &&
    row['debit_account'] === accounts[0] &&
    row['credit_account'] === accounts[1] &&
    amount !== null &&
    amount > 0n;
  return right ? [] : [violation('I18', 'an entry that is none of its kind', row)];
}

function sums(world: World, operation: Row, quiet: boolean): Violation[] {
  const id = String(operation['payment_id']);
  const payment = world.payments.get(id);
  if (payment === undefined) return [violation('I6', 'an operation of no payment', operation)];
  const lines = world.linesOf(String(operation['processor_key']));
  const entries = world.of('ledger_entries', id);
  const found = lines
    .filter((line) => line.parent === null && ['charge', 'authorize'].includes(line.operation))
    .filter((line) => !isAgreed(line, payment))
    .map((line) => violation('I3', `payment ${id} and the processor differ`, payment, line));
  found.push(
    ...entries
      .filter(
        (row) =>
          row['currency'] !== payment['currency'] || row['account_id'] !== payment['account_id'],
      )
      .map((row) => violation('I3', 'an entry of another currency or account', row, payment)),
  );
  if (!quiet) return found;
  const withoutFees = entries.filter((row) => !isApart(row));
  const there = movedBy(lines);
  const here = balance(withoutFees, 'processor_clearing');
  if (here !== there) {
    const invariant = here > there ? 'I4' : 'I3';
    const says = `${here} in the ledger of ${id}, ${there} in the processor's book`;
    found.push(violation(invariant, says, payment, ...withoutFees, ...lines));
  }
  return [...found, ...fees(lines, entries), ...owed(world, payment, entries)];
}

function isAgreed(line: BookLine, payment: Row): boolean {
  return (
    isSameAmount(minor(line.amount), minor(payment['amount'])) &&
    line.currency === payment['currency']
  );
}

/**
 * A fee that is booked is one that the processor kept, and the first that it kept is booked. Those of other
 * charges and of disputes may be told by its report alone, and not be booked yet.
 */
function fees(lines: readonly BookLine[], entries: readonly Row[]): Violation[] {
  const kept = lines.filter(({ operation }) => operation === 'fee');
  const booked = entries.filter((row) => FEES.includes(String(row['entry_kind'])));
  const left = [...kept];
  const isKept = (row: Row) => {
    const at = left.findIndex(({ amount }) => isSameAmount(minor(row['amount']), minor(amount)));
    return at >= 0 && left.splice(at, 1).length === 1;
  };
  if (booked.every(isKept) && (booked.length > 0 || kept.length === 0)) return [];
  return [violation('I3', 'fees differ', ...booked, ...kept)];
}

/** I18: what the merchant is owed and what stands in suspense follow from payment, refunds, disputes and breaks. */
function owed(world: World, payment: Row, entries: readonly Row[]): Violation[] {
  const id = String(payment['id']);
  const refunds = world
    .of('refunds', id)
    .filter(
      ({ break_id: of, status, processor_id: there }) =>
        of === null && status !== 'failed' && there !== null,
    );
  const disputes = world
    .of('disputes', id)
    .filter(({ status }) => status === 'open' || status === 'lost');
  const excess = sumOf(world.of('disputes', id), 'excess');
  const late = world
    .of('breaks', id)
    .filter(({ kind, status }) => kind === 'late_success' && status === 'open');
  const captured = minor(payment['amount_captured']) ?? 0n;
  const payable = captured - sumOf(refunds) - (sumOf(disputes) - excess);
  const found: Violation[] = [];
  if (-balance(entries, 'merchant_payable') !== payable)
    found.push(violation('I18', `the merchant is owed ${payable} of ${id}`, payment, ...entries));
  if (-balance(entries, 'suspense') !== sumOf(late) - excess)
    found.push(
      violation('I18', `${sumOf(late) - excess} of ${id} stand in suspense`, payment, ...entries),
    );
  return found;
}

/** I3 in total: whatever belongs to whom, in each currency the ledger holds what the processor holds. */
function totals(world: World): Violation[] {
  const entries = world.table('ledger_entries').filter((row) => !isApart(row));
  const here = groupBy(entries, ({ currency }) => String(currency));
  const there = groupBy(world.books.processor, ({ currency }) => currency);
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((currency) => {
    const booked = balance(here.get(currency) ?? [], 'processor_clearing');
    const moved = movedBy(there.get(currency) ?? []);
    if (booked === moved) return [];
    const says = `in all, ${booked} ${currency} in the ledger, ${moved} at the processor`;
    return [violation('I3', says, { currency, ledger: `${booked}`, processor: `${moved}` })];
  });
}

function movedBy(lines: readonly BookLine[]): bigint {
  return lines.reduce(
    (sum, { operation, amount }) => sum + (SIGNS[operation] ?? 0n) * (minor(amount) ?? 0n),
    0n,
  );
}

/** Debits less credits of one account of the chart. */
export function balance(entries: readonly Row[], account: string): bigint {
  return entries.reduce((total, row) => {
    const amount = minor(row['amount']) ?? 0n;
    if (row['debit_account'] === account) return total + amount;
    return row['credit_account'] === account ? total - amount : total;
  }, 0n);
}
