import { isSameAmount, minor, sumOf } from './amounts.js';
import type { BookLine, Row, Violation } from './books.js';
import { withoutPartner } from './partners.js';
import { type World, groupBy, violation } from './world.js';

type Line = BookLine | undefined;

/** Which line of the processor's book stands behind an entry. Kinds that are not here move money between us only. */
const LINE_OF: Record<string, (world: World, entry: Row) => Line> = {
  charge: (world, entry) => ofIntent(world, entry, 'charge'),
  // A hold that was given up there, and whose money came after all, is told as a charge.
  capture: (world, entry) => ofIntent(world, entry, 'capture') ?? ofIntent(world, entry, 'charge'),
  late_success: (world, entry) => lateLine(world, entry),
  late_success_fee: (world, entry) => world.lineUnder('fee', lateLine(world, entry)?.id),
  refund: (world, entry) => world.line('refund', sourceOf(world, entry, 'refunds')),
  refund_failed: (world, entry) => failedLine(world, entry),
  late_success_refund: (world, entry) => world.line('refund', sourceOf(world, entry, 'refunds')),
  late_success_refund_failed: (world, entry) => failedLine(world, entry),
  dispute: (world, entry) => world.line('dispute', sourceOf(world, entry, 'disputes')),
  dispute_excess: (world, entry) => world.line('dispute', sourceOf(world, entry, 'disputes')),
  dispute_won: (world, entry) => wonLine(world, entry),
  dispute_excess_won: (world, entry) => wonLine(world, entry),
  dispute_fee: (world, entry) => feeLine(world, entry, 'dispute_fee'),
  dispute_fee_returned: (world, entry) => feeLine(world, entry, 'dispute_fee_returned'),
};

/** A dispute is booked in two parts, which together are its line. */
const PART_OF: Record<string, string> = {
  dispute_excess: 'dispute',
  dispute_excess_won: 'dispute_won',
};

/** I4 and I3: behind every entry that moves money at the processor stands its line there, to the cent. */
export function checkEntries(world: World): Violation[] {
  const entries = world.table('ledger_entries').filter((row) => kindOf(row) in LINE_OF);
  const lineOf = (entry: Row): Line => LINE_OF[kindOf(entry)]!(world, entry);
  const alone = withoutPartner(entries, lineOf).map((entry) =>
    violation('I4', `${kindOf(entry)} is booked, and the processor knows nothing of it`, entry),
  );
  return [...alone, ...differing(entries, lineOf)];
}

function differing(entries: readonly Row[], lineOf: (entry: Row) => Line): Violation[] {
  const whole = groupBy(entries, (row) =>
    [row['payment_id'], PART_OF[kindOf(row)] ?? kindOf(row), row['source_id']].join(' '),
  );
  return [...whole.values()].flatMap((parts) => {
    const line = lineOf(parts[0]!);
    if (line === undefined) return [];
    const isSame =
      isSameAmount(sumOf(parts), minor(line.amount)) &&
      parts.every(({ currency }) => currency === line.currency);
    if (isSame) return [];
    return [violation('I3', `${kindOf(parts[0]!)} is booked otherwise than done`, ...parts, line)];
  });
}

function kindOf(entry: Row): string {
  return String(entry['entry_kind']);
}

function ofIntent(world: World, entry: Row, operation: string): Line {
  const [charge] = world
    .of('operations', String(entry['payment_id']))
    .filter(({ kind }) => kind === 'charge');
  return world
    .linesOf(String(charge?.['processor_key']))
    .find((line) => line.operation === operation);
}

function lateLine(world: World, entry: Row): Line {
  const reference = world
    .of('breaks', String(entry['payment_id']))
    .find(({ id }) => id === entry['source_id'])?.['reference'];
  return world.line('charge', reference) ?? world.lineUnder('capture', reference);
}

function sourceOf(world: World, entry: Row, table: string): unknown {
  return world.of(table, String(entry['payment_id'])).find(({ id }) => id === entry['source_id'])?.[
    'processor_id'
  ];
}

function failedLine(world: World, entry: Row): Line {
  return world.lineUnder('refund_failed', sourceOf(world, entry, 'refunds'));
}

function wonLine(world: World, entry: Row): Line {
  return world.lineUnder('dispute_won', sourceOf(world, entry, 'disputes'));
}

function feeLine(world: World, entry: Row, operation: string): Line {
  return world.lineUnder(operation, sourceOf(world, entry, 'disputes'));
}
