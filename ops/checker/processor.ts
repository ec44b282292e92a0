import { minor } from './amounts.js';
import type { BookLine, Row, Violation } from './books.js';
import { derivedKey } from './keys.js';
import { withoutPartner } from './partners.js';
import type { Terms } from './terms.js';
import { type World, groupBy, violation } from './world.js';

/** The processor's book against our database: what it did was asked for, done once, and is known here. */
export function checkProcessor(world: World, terms: Terms): Violation[] {
  const charges = new Map<string, Row>();
  for (const row of world.table('operations'))
    if (row['kind'] === 'charge') charges.set(String(row['processor_key']), row);
  const intents = new Set(world.books.processor.map(({ metadata }) => metadata['payonce_intent']));
  return [
    ...doneOnce(world),
    ...underOurKey(world),
    ...[...intents].flatMap((intent) =>
      intent === undefined ? [] : known(world, intent, charges.get(intent), terms.quiet),
    ),
    ...placed(world),
    ...asked(world, terms),
    ...neverMoreThanThere(world),
  ];
}

/** Lines that a request of ours made; what happens at the processor by itself has no key. */
const ours = (line: BookLine): boolean => line.idempotency_key !== null;

/** I1: under one key the processor charged, captured, voided or refunded once. */
function doneOnce(world: World): Violation[] {
  const moves = world.books.processor.filter((line) => ours(line) && line.operation !== 'fee');
  const groups = groupBy(
    moves,
    ({ operation, idempotency_key }) => `${operation} ${idempotency_key}`,
  );
  const twice = [...groups.entries()].filter(([, lines]) => lines.length > 1);
  const byIntent = groupBy(
    moves.filter(({ operation }) => operation === 'charge' || operation === 'authorize'),
    ({ metadata, id }) => metadata['payonce_intent'] ?? id,
  );
  const charged = [...byIntent.entries()].filter(([, lines]) => lines.length > 1);
  return [...twice, ...charged].map(([what, lines]) =>
    violation('I1', `the processor did ${lines.length} times: ${what}`, ...lines),
  );
}

const KIND_OF: Record<string, string> = {
  charge: 'charge',
  authorize: 'charge',
  capture: 'capture',
  void: 'void',
  refund: 'refund',
};

/** I9: every call of an operation carries the operation's one key, and what it belongs to is the operation's. */
function underOurKey(world: World): Violation[] {
  const keys = new Map(world.table('operations').map((row) => [String(row['processor_key']), row]));
  const refunds = new Map(world.table('refunds').map((row) => [String(row['processor_id']), row]));
  return world.books.processor.filter(ours).flatMap((line) => {
    const operation = keys.get(line.idempotency_key!);
    if (operation === undefined)
      return [violation('I9', `sent under a key that no operation has: ${line.id}`, line)];
    const { operation: did, parent, metadata } = line;
    const refund = did === 'refund' ? refunds.get(line.id) : undefined;
    const isIts =
      (did === 'fee' || operation['kind'] === KIND_OF[did]) &&
      (did === 'fee' || operation['target_id'] === parent) &&
      (parent !== null || metadata['payonce_intent'] === line.idempotency_key) &&
      (refund === undefined || refund['operation_id'] === operation['id']);
    if (isIts) return [];
    return [violation('I9', `sent under another operation's key: ${line.id}`, line, operation)];
  });
}

const RECORDED: Record<string, (world: World, line: BookLine, payment: Row) => boolean> = {
  charge: (world, line, payment) => isPaidBy(payment, line) || isBreak(world, line),
  capture: (world, line, payment) =>
    (payment['status'] === 'succeeded' && payment['processor_id'] === line.parent) ||
    isBreak(world, { ...line, id: line.parent ?? line.id }),
  // What is over here is not held there any more.
  authorize: (world, line, { status, processor_id: id }) =>
    status === 'canceled' || status === 'failed'
      ? (world.lineUnder('void', line.id) ?? world.lineUnder('capture', line.id)) !== undefined
      : id === line.id,
  // One that was never known to be held before the processor gave it up has failed, and names it.
  void: (_, line, payment) =>
    payment['status'] === 'canceled' ||
    payment['status'] === 'succeeded' ||
    (payment['status'] === 'failed' && payment['processor_id'] === line.parent),
  refund: (world, line, payment) => hasRow(world, 'refunds', payment, line.id),
  refund_failed: (world, line, payment) =>
    world
      .of('refunds', String(payment['id']))
      .some((row) => row['processor_id'] === line.parent && row['status'] === 'failed'),
  dispute: (world, line, payment) => hasRow(world, 'disputes', payment, line.id),
  dispute_won: (world, line, payment) =>
    world
      .of('disputes', String(payment['id']))
      .some((row) => row['processor_id'] === line.parent && row['status'] === 'won'),
};

/** I2 and I16: what the processor did is recorded, in a state that admits it; before quiet it may be on its way. */
function known(world: World, intent: string, charge: Row | undefined, quiet: boolean): Violation[] {
  const lines = world.linesOf(intent).filter(({ operation }) => operation in RECORDED);
  if (lines.length === 0) return [];
  const payment = charge && world.payments.get(String(charge['payment_id']));
  if (payment === undefined) {
    const own = lines.filter(({ parent }) => parent === null);
    return withoutPartner(own, () => payment).map((line) =>
      violation('I2', `nobody here knows of ${line.id}`, line),
    );
  }
  if (!quiet) return [];
  return withoutPartner(lines, (line) => RECORDED[line.operation]!(world, line, payment)).map(
    (line) => {
      const says = `the processor did ${line.operation} ${line.id}; the payment is ${String(payment['status'])} and does not tell of it`;
      const isMoney = line.operation === 'charge' || line.operation === 'capture';
      const denied = payment['status'] === 'failed' || payment['status'] === 'canceled';
      return violation(isMoney && denied ? 'I16' : 'I2', says, line, payment);
    },
  );
}

function isPaidBy(payment: Row, line: BookLine): boolean {
  const names = [line.id, line.parent].includes(String(payment['processor_id']));
  return names && payment['status'] === 'succeeded';
}

function isBreak(world: World, line: BookLine): boolean {
  return world.lateOf(line.id) !== undefined;
}

function hasRow(world: World, name: string, payment: Row, id: string): boolean {
  return world.of(name, String(payment['id'])).some((row) => row['processor_id'] === id);
}

/** Without anything here that must tell of them at once: the report does. */
const TOLD_LATER = ['fee', 'dispute_fee', 'payout'];

/** I2: each line is of a kind that is known, and hangs from one that is there. */
function placed(world: World): Violation[] {
  const ids = new Set(world.books.processor.map(({ id }) => id));
  return world.books.processor.flatMap((line) => {
    const isKnown = line.operation in RECORDED || TOLD_LATER.includes(line.operation);
    const hangs = line.parent === null || ids.has(line.parent);
    if (isKnown && hangs) return [];
    const says = isKnown ? 'hangs from nothing' : 'is of a kind that nobody knows';
    return [violation('I2', `${line.operation} ${line.id} ${says}`, line)];
  });
}

/** I4: nothing was charged that no client asked for. Only where clients' books are there at all. */
function asked(world: World, terms: Terms): Violation[] {
  const wanted = new Set<string>();
  for (const { account, key } of world.intents) wanted.add(derivedKey(account, 'charge', key));
  const charges = world.books.processor
    .filter(({ operation }) => operation === 'charge' || operation === 'authorize')
    .filter(({ metadata }) => world.isRecorded(metadata['payonce_account'], terms));
  return withoutPartner(charges, ({ metadata }) =>
    wanted.has(metadata['payonce_intent'] ?? ''),
  ).map((line) => violation('I4', `nobody asked for ${line.operation} ${line.id}`, line));
}

/** I17 at the processor, at every moment: captured at most what was held, given back at most what was taken. */
function neverMoreThanThere(world: World): Violation[] {
  const found: Violation[] = [];
  const byRoot = new Map<string, { held: bigint; taken: bigint; back: bigint }>();
  const rootOf = new Map<string, string>();
  for (const line of world.books.processor) {
    const root = line.parent === null ? line.id : (rootOf.get(line.parent) ?? line.parent);
    rootOf.set(line.id, root);
    const sums = byRoot.get(root) ?? { held: 0n, taken: 0n, back: 0n };
    byRoot.set(root, sums);
    const amount = minor(line.amount);
    // A payout takes back where more had gone than had come.
    if (amount === null || (amount < 0n && line.operation !== 'payout')) {
      found.push(violation('I3', `no amount of money: ${String(line.amount)}`, line));
      continue;
    }
    if (line.operation === 'authorize') sums.held += amount;
    if (line.operation === 'charge') {
      sums.held += amount;
      sums.taken += amount;
    }
    if (line.operation === 'capture') sums.taken += amount;
    if (line.operation === 'refund') sums.back += amount;
    if (line.operation === 'refund_failed') sums.back -= amount;
    if (sums.taken > sums.held)
      found.push(violation('I17', `more was captured than was held of ${root}`, line));
    if (sums.back > sums.taken)
      found.push(violation('I17', `more was given back than was taken of ${root}`, line));
  }
  return found;
}
