import { createHash } from 'node:crypto';
import { minor } from './amounts.js';
import type { BookLine, Row, Violation } from './books.js';
import { SIGNS, balance } from './money.js';
import { type World, groupBy, violation } from './world.js';

const FEES: Record<string, bigint> = { fee: -1n, dispute_fee: -1n };

/** What reached the bank came by a payout of the processor's, and is what it held for the payment at some moment. */
export function checkPayouts(world: World): Violation[] {
  const made = world.books.processor.filter(({ operation }) => operation === 'payout');
  const entries = world
    .table('ledger_entries')
    .filter(({ entry_kind: kind }) => kind === 'payout' || kind === 'payout_returned');
  const byPayment = groupBy(entries, ({ payment_id: id }) => String(id));
  return [...byPayment].flatMap(([id, paid]) => [
    ...unknown(world.payments.get(id), paid, made),
    ...(isHeldOnce(world, id, balance(paid, 'bank'))
      ? []
      : [violation('I3', `${id}: the processor never held what was paid out of it`, ...paid)]),
  ]);
}

/** I4: behind each entry stands a payout of its currency; which one, its source says. */
function unknown(
  payment: Row | undefined,
  paid: readonly Row[],
  made: readonly BookLine[],
): Violation[] {
  const isOf = (row: Row) => (line: BookLine) =>
    line.currency === row['currency'] &&
    sourceOf(String(payment?.['processor_name']), line.id) === row['source_id'];
  return paid
    .filter((row) => !made.some(isOf(row)))
    .map((row) => violation('I4', 'a payout is booked that the processor never made', row));
}

/** A payout takes what came and went until its day was over: the first lines of a payment, however many. */
function isHeldOnce(world: World, payment: string, paid: bigint): boolean {
  const [charge] = world.of('operations', payment).filter(({ kind }) => kind === 'charge');
  const lines = [...world.linesOf(String(charge?.['processor_key']))];
  let held = 0n;
  return lines
    .sort((one, other) => one.seq - other.seq)
    .some(({ operation, amount }) => {
      held += (SIGNS[operation] ?? FEES[operation] ?? 0n) * (minor(amount) ?? 0n);
      return held === paid;
    });
}

function sourceOf(processor: string, payout: string): string {
  const bytes = createHash('sha256').update(`payonce/payout/1\n${processor}\n${payout}`).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
