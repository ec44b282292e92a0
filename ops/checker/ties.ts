import { isSameAmount, minor } from './amounts.js';
import type { Row, Violation } from './books.js';
import { type World, ownerOf, violation } from './world.js';

/** Nothing stands alone: each row names what it belongs to, which is there and says the same of it. */
export function checkTies(world: World): Violation[] {
  return [
    ...alone(world),
    ...[...world.payments.values()].flatMap((payment) => charged(world, payment)),
    ...world.table('refunds').flatMap((refund) => ordered(world, refund)),
    ...[...world.payments.values()].flatMap((payment) => holdsItsOrder(world, payment)),
  ];
}

const OF_PAYMENTS = [
  'order_slots',
  'operations',
  'idempotency_keys',
  'refunds',
  'payment_steps',
  'authorizations',
  'disputes',
  'breaks',
  'ledger_entries',
  'outbox_events',
  'unresolved',
  'webhook_inbox',
];

/** I6: no row of a payment, an operation or a key that is not there. A key may be bare, and an event be of nobody. */
function alone(world: World): Violation[] {
  const refunded = new Set(world.table('refunds').map((row) => String(row['operation_id'])));
  const isThere = (of: ReadonlyMap<string, Row>, id: unknown) =>
    (id ?? null) === null || of.has(String(id));
  const rows = OF_PAYMENTS.flatMap((name) =>
    world
      .table(name)
      .filter((row) => !isThere(world.payments, row['payment_id']))
      .map((row) => violation('I6', `${name} has a row of no payment`, row)),
  );
  const ofOperations = ['attempts', 'refunds', 'payment_steps', 'idempotency_keys'];
  const strays = ofOperations.flatMap((name) =>
    world
      .table(name)
      .filter((row) => !isThere(world.operations, row['operation_id']))
      .map((row) => violation('I6', `${name} has a row of no operation`, row)),
  );
  const operations = world.table('operations').flatMap((row) => {
    if (!world.keyOf.has(ownerOf(row)))
      return [violation('I6', 'an operation that no key stands for', row)];
    const isBare = row['kind'] === 'refund' && !refunded.has(String(row['id']));
    return isBare ? [violation('I6', 'an operation that is to give back, and no refund', row)] : [];
  });
  return [...rows, ...strays, ...operations];
}

/** I6 and I3: a payment is charged by one operation, for the sum and in the currency that it says itself. */
function charged(world: World, payment: Row): Violation[] {
  const id = String(payment['id']);
  const charge = world.of('operations', id).find(({ kind }) => kind === 'charge');
  if (charge === undefined)
    return [violation('I6', `payment ${id} has no operation that charges it`, payment)];
  if (isAlike(charge, payment)) return [];
  return [violation('I3', `payment ${id} and its operation differ`, payment, charge)];
}

/** I3: a refund gives back what its operation orders. */
function ordered(world: World, refund: Row): Violation[] {
  const operation = world.operations.get(String(refund['operation_id']));
  if (operation === undefined || isAlike(operation, refund)) return [];
  return [violation('I3', 'a refund and its operation differ', refund, operation)];
}

function isAlike(one: Row, other: Row): boolean {
  const isSame = isSameAmount(minor(one['amount']), minor(other['amount']));
  return isSame && one['currency'] === other['currency'];
}

/** I5: who has paid, or may yet, holds the order, until all of it was given back: else it can be paid for twice. */
function holdsItsOrder(world: World, payment: Row): Violation[] {
  const id = String(payment['id']);
  if (payment['order_id'] === null || !isLive(world, payment)) return [];
  const account = world.table('accounts').find((row) => row['id'] === payment['account_id']);
  if (account?.['order_once'] === false || payment['accepted_break_id'] !== null) return [];
  if (world.of('order_slots', id).length > 0) return [];
  // It was imported when another payment had the order already, which a break tells.
  if (world.of('breaks', id).some(({ kind }) => kind === 'duplicate')) return [];
  return [violation('I5', `payment ${id} lost its hold on its order`, payment)];
}

function isLive(world: World, payment: Row): boolean {
  const { status } = payment;
  if (status === 'pending' || status === 'authorized') {
    const charge = world
      .of('operations', String(payment['id']))
      .find((row) => row['kind'] === 'charge');
    return world.keyOf.get(charge ? ownerOf(charge) : '')?.['state'] !== 'released';
  }
  // What was given back once, and came back since, frees the order for ever.
  const refunds = world.of('refunds', String(payment['id']));
  const cameBack = refunds.some((row) => row['failure_code'] === 'failed_later');
  return status === 'succeeded' && !cameBack && !isGivenBack(payment);
}

function isGivenBack(payment: Row): boolean {
  return isSameAmount(minor(payment['amount_refunded']), minor(payment['amount_captured']));
}
