import { ALLOWED_DISPUTE, ALLOWED_REFUND } from './allowed-status.js';
import { isSameAmount, minor, sumOf } from './amounts.js';
import type { Row, Violation } from './books.js';
import { type World, groupBy, ownerOf, violation } from './world.js';

/** What happens to a payment after its charge: captures, refunds, disputes and late money stand whole, or not at all. */
export function checkSteps(world: World): Violation[] {
  return [
    ...world.table('operations').flatMap((operation) => capture(world, operation)),
    ...world.table('disputes').flatMap((row) => dispute(world, row)),
    ...world.table('breaks').flatMap((row) => late(world, row)),
    ...[...world.payments.values()].flatMap((payment) => [
      ...untouched(world, payment),
      ...walks(world, payment),
      ...atEveryMoment(world, payment),
    ]),
    ...settledWork(world),
  ];
}

function entriesOf(world: World, row: Row, kinds: readonly string[]): Row[] {
  return world
    .of('ledger_entries', String(row['payment_id']))
    .filter((entry) => entry['source_id'] === row['id'])
    .filter((entry) => kinds.includes(String(entry['entry_kind'])));
}

/** I6: a capture that was made is booked once under its own id; one that was not, never. */
function capture(world: World, operation: Row): Violation[] {
  if (operation['kind'] !== 'capture') return [];
  const booked = entriesOf(world, operation, ['capture']);
  const isMade = world.savedOf.get(ownerOf(operation))?.['status'] === 200;
  if (booked.length === Number(isMade)) return [];
  const says = `a capture was ${isMade ? '' : 'not '}made, and is booked ${booked.length} times`;
  return [violation('I6', says, operation, ...booked)];
}

/** I6: what a bank took stands in the ledger, in two parts at most, and again when it came back. */
function dispute(world: World, row: Row): Violation[] {
  const taken = entriesOf(world, row, ['dispute', 'dispute_excess']);
  const back = entriesOf(world, row, ['dispute_won', 'dispute_excess_won']);
  const amount = minor(row['amount']) ?? 0n;
  const isRight =
    sumOf(taken) === (row['status'] === 'inquiry' ? 0n : amount) &&
    sumOf(back) === (row['status'] === 'won' ? amount : 0n);
  if (isRight) return [];
  const says = `a dispute is ${String(row['status'])}, and the ledger tells otherwise`;
  return [violation('I6', says, row, ...taken, ...back)];
}

/** I6: late money is booked once, under its break. */
function late(world: World, row: Row): Violation[] {
  if (row['kind'] !== 'late_success') return [];
  const booked = entriesOf(world, row, ['late_success']);
  if (booked.length === 1 && isSameAmount(minor(booked[0]!['amount']), minor(row['amount'])))
    return [];
  return [violation('I6', 'late money, and the ledger tells otherwise', row, ...booked)];
}

/** I6: of a payment that is pending nothing is recorded yet; of an order, no slot is held by one that is over. */
function untouched(world: World, payment: Row): Violation[] {
  const id = String(payment['id']);
  const { status } = payment;
  const slots = world
    .of('order_slots', id)
    .filter(
      (slot) =>
        slot['order_id'] !== payment['order_id'] || status === 'failed' || status === 'canceled',
    )
    .map((slot) => violation('I6', `a ${String(status)} payment holds an order`, slot, payment));
  if (status !== 'pending') return slots;
  const recorded = [...world.of('ledger_entries', id), ...world.of('outbox_events', id)].filter(
    ({ entry_kind: kind }) => !String(kind).startsWith('late_success'),
  );
  if (recorded.length === 0) return slots;
  return [...slots, violation('I6', 'a pending payment is recorded', payment, ...recorded)];
}

/** I7: refunds and disputes only move forward, by their events, to the state that they are in. */
function walks(world: World, payment: Row): Violation[] {
  const id = String(payment['id']);
  const states = new Map<string, string>();
  const found: Violation[] = [];
  for (const event of ordered(world, id)) {
    const [object, next = ''] = String(event['type']).split('.');
    if (object !== 'refund' && object !== 'dispute') continue;
    const isRefund = object === 'refund';
    const of = String((event['payload'] as Row)['id']);
    const before = states.get(of);
    const allowed = isRefund ? ALLOWED_REFUND[before ?? 'pending'] : ALLOWED_DISPUTE[before ?? ''];
    const isFirst = before === undefined && next === (isRefund ? 'pending' : 'opened');
    if (!isFirst && !allowed?.includes(next))
      found.push(violation('I7', `a ${object} went from ${before} to ${next}`, event, payment));
    states.set(of, next);
  }
  for (const row of world.of('refunds', id)) {
    const told = states.get(String(row['id'])) ?? 'pending';
    if (told !== row['status'])
      found.push(violation('I7', `a refund is ${String(row['status'])}, told ${told}`, row));
  }
  for (const row of world.of('disputes', id)) {
    const told = states.get(String(row['id']))?.replace('opened', 'open') ?? 'inquiry';
    if (told !== row['status'])
      found.push(violation('I7', `a dispute is ${String(row['status'])}, told ${told}`, row));
  }
  return found;
}

/** I17 at every moment: in the order of the events, refunds never give back more than was captured by then. */
function atEveryMoment(world: World, payment: Row): Violation[] {
  const id = String(payment['id']);
  const ours = new Map(
    world
      .of('refunds', id)
      .filter(({ break_id: of }) => of === null)
      .map((row) => [String(row['id']), row]),
  );
  if (ours.size === 0) return [];
  const taken = new Set<string>();
  let captured = 0n;
  let back = 0n;
  const found: Violation[] = [];
  for (const event of ordered(world, id)) {
    const payload = event['payload'] as Row;
    if (event['type'] === 'payment.succeeded') captured = minor(payload['amount_captured']) ?? 0n;
    const refund = ours.get(String(payload['id']));
    if (refund === undefined) continue;
    const isTaken = taken.has(String(refund['id']));
    const amount = minor(refund['amount']) ?? 0n;
    if (event['type'] === 'refund.failed') back -= isTaken ? amount : 0n;
    else if (!isTaken) {
      taken.add(String(refund['id']));
      back += amount;
    }
    if (back > captured)
      found.push(violation('I17', `${back} given back of ${captured}`, payment, event, refund));
  }
  return found;
}

function ordered(world: World, payment: string): Row[] {
  return world
    .of('outbox_events', payment)
    .toSorted((one, other) => Number(one['sequence']) - Number(other['sequence']));
}

/** I6: what is finished or canceled is no work any more: it stands in no list of such. */
function settledWork(world: World): Violation[] {
  const found = world.table('unresolved').flatMap((row) => {
    const key = world.keyOf.get(ownerOf(row));
    const isOver = key?.['state'] === 'finished' || key?.['state'] === 'canceled';
    return isOver ? [violation('I6', 'finished work is listed as unresolved', row, key)] : [];
  });
  const steps = world.table('payment_steps').flatMap((row) => {
    const operation = world.operations.get(String(row['operation_id']));
    const key = operation && world.keyOf.get(ownerOf(operation));
    if (key?.['state'] !== 'finished') return [];
    return [violation('I6', 'a step that is over holds its place', row, key)];
  });
  const held = groupBy(world.table('order_slots'), (row) =>
    [row['account_id'], row['order_id']].join(' '),
  );
  const twice = [...held.values()].filter((rows) => rows.length > 1);
  return [
    ...found,
    ...steps,
    ...twice.map((rows) => violation('I5', 'an order has two slots', ...rows)),
  ];
}
