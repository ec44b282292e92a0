import type { BookLine, Row, Violation } from './books.js';
import { type World, minor, objectOf, sumOf, violation } from './world.js';

/** Debit and credit of each kind: the checker's own copy. */
const ACCOUNTS: Record<string, readonly [debit: string, credit: string]> = {
  charge: ['processor_clearing', 'merchant_payable'],
  processor_fee: ['processor_fees', 'processor_clearing'],
  capture: ['processor_clearing', 'merchant_payable'],
  refund: ['merchant_payable', 'processor_clearing'],
  refund_failed: ['processor_clearing', 'merchant_payable'],
  late_success: ['processor_clearing', 'suspense'],
  late_success_accepted: ['suspense', 'merchant_payable'],
  late_success_refund: ['suspense', 'processor_clearing'],
  late_success_refund_failed: ['processor_clearing', 'suspense'],
  dispute: ['merchant_payable', 'processor_clearing'],
  dispute_excess: ['suspense', 'processor_clearing'],
  dispute_won: ['processor_clearing', 'merchant_payable'],
  dispute_excess_won: ['processor_clearing', 'suspense'],
  dispute_excess_settled: ['merchant_payable', 'suspense'],
};

const SIGNS: Record<string, bigint> = {
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
    ...answered(world),
    ...[...world.operations.values()].flatMap((operation) =>
      operation['kind'] === 'charge' ? sums(world, operation, quiet) : [],
    ),
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

/** I3: what was asked, what was answered and what is recorded are one amount in one currency. */
function answered(world: World): Violation[] {
  return world.calls.flatMap(({ invoke, heard }) => {
    if (invoke.path !== '/v1/payments' || heard?.status !== 201 || heard.whole === false) return [];
    const asked = objectOf(invoke.body);
    const told = objectOf(heard.text);
    const payment = world.payments.get(String(told?.['id']));
    if (payment === undefined)
      return [violation('I12', 'an answered payment is not there', invoke, heard)];
    const right =
      minor(asked?.['amount']) === minor(payment['amount']) &&
      minor(told?.['amount']) === minor(payment['amount']) &&
      asked?.['currency'] === payment['currency'] &&
      told?.['currency'] === payment['currency'] &&
      invoke.account === payment['account_id'];
    return right
      ? []
      : [violation('I3', 'asked, answered and recorded differ', invoke, heard, payment)];
  });
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
  const withoutFees = entries.filter(({ entry_kind: kind }) => kind !== 'processor_fee');
  const there = lines.reduce(
    (sum, { operation: kind, amount }) => sum + (SIGNS[kind] ?? 0n) * BigInt(amount),
    0n,
  );
  const here = balance(withoutFees, 'processor_clearing');
  if (here !== there) {
    const invariant = here > there ? 'I4' : 'I3';
    const says = `${here} in the ledger of ${id}, ${there} in the processor's book`;
    found.push(violation(invariant, says, payment, ...withoutFees, ...lines));
  }
  return [...found, ...fees(lines, entries), ...owed(world, payment, entries)];
}

function isAgreed(line: BookLine, payment: Row): boolean {
  return minor(line.amount) === minor(payment['amount']) && line.currency === payment['currency'];
}

/** A fee that is booked is one that the processor kept. */
function fees(lines: readonly BookLine[], entries: readonly Row[]): Violation[] {
  const kept = lines.filter(({ operation }) => operation === 'fee').map(({ amount }) => amount);
  return entries
    .filter((row) => row['entry_kind'] === 'processor_fee' && !kept.includes(Number(row['amount'])))
    .map((row) => violation('I3', 'a fee that the processor did not take', row, ...lines));
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

function balance(entries: readonly Row[], account: string): bigint {
  return entries.reduce((total, row) => {
    const amount = minor(row['amount']) ?? 0n;
    if (row['debit_account'] === account) return total + amount;
    return row['credit_account'] === account ? total - amount : total;
  }, 0n);
}
