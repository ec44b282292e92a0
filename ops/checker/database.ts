import { ALLOWED_BY_ACCEPTING, ALLOWED_STATUS } from './allowed-status.js';
import { minor, sumOf } from './amounts.js';
import type { Row, Violation } from './books.js';
import { type World, groupBy, ownerOf, violation } from './world.js';

/** Our database against itself: each thing once, whole or not at all, forward only, with its evidence. */
export function checkDatabase(world: World): Violation[] {
  return [
    ...once(world),
    ...whole(world),
    ...[...world.payments.values()].flatMap((payment) => [
      ...forward(world, payment),
      ...evidence(payment),
      ...withinCaptured(world, payment),
    ]),
    ...attempts(world),
  ];
}

const KEYS: Record<string, readonly string[]> = {
  ledger_entries: ['account_id', 'payment_id', 'entry_kind', 'source_id'],
  operations: ['account_id', 'key_hash'],
  idempotency_keys: ['account_id', 'key_hash'],
  saved_answers: ['account_id', 'key_hash'],
  outbox_events: ['account_id', 'payment_id', 'sequence'],
  refunds: ['account_id', 'operation_id'],
  disputes: ['account_id', 'processor_name', 'processor_id'],
  webhook_inbox: ['processor_name', 'event_id'],
  payments: ['id'],
};

/** I5 and I14: nothing is there twice, whatever constraints the tables have. */
function once(world: World): Violation[] {
  const found = Object.entries(KEYS).flatMap(([name, columns]) => {
    const of = (row: Row) => columns.map((column) => String(row[column])).join(' ');
    const invariant = name === 'webhook_inbox' ? 'I14' : 'I5';
    return [...groupBy(world.table(name), of).values()]
      .filter((rows) => rows.length > 1)
      .map((rows) => violation(invariant, `${name} has it ${rows.length} times`, ...rows));
  });
  const charges = world.table('operations').filter(({ kind }) => kind === 'charge');
  const byPayment = groupBy(charges, ({ payment_id }) => String(payment_id));
  for (const rows of byPayment.values())
    if (rows.length > 1) found.push(violation('I5', 'a payment has two charges', ...rows));
  const live = world.table('payments').filter((row) => holdsItsOrder(row) && !gaveItUp(world, row));
  for (const rows of groupBy(
    live,
    (row) => `${String(row['account_id'])} ${String(row['order_id'])}`,
  ).values())
    if (rows.filter((row) => !isToldTwice(world, row)).length > 1)
      found.push(violation('I5', 'two live payments of one order', ...rows));
  return found;
}

/** A charge that was imported, for an order that another payment had taken by then: a break tells of it. */
function isToldTwice(world: World, { id, processor_id: reference }: Row): boolean {
  const breaks = world.of('breaks', String(id));
  return breaks.some((row) => row['kind'] === 'duplicate' && row['reference'] === reference);
}

/** Freed by the last refund, and given up by an account that allows several. */
function holdsItsOrder(row: Row): boolean {
  const paid = row['status'] === 'succeeded' || row['status'] === 'authorized';
  return row['order_id'] !== null && paid && row['amount_refunded'] === 0;
}

/** A slot is freed for ever by the last refund, also by one that turns out to have failed. */
function gaveItUp(world: World, payment: Row): boolean {
  return world
    .of('refunds', String(payment['id']))
    .some(({ status, processor_id: id }) => status === 'failed' && id !== null);
}

/** I6: payment, ledger, event and saved answer of one operation stand together or not at all. */
function whole(world: World): Violation[] {
  const found: Violation[] = [];
  for (const key of world.keyOf.values()) {
    const isSaved = world.savedOf.has(ownerOf(key));
    if ((key['state'] === 'finished') !== isSaved)
      found.push(
        violation(
          'I6',
          `a key is ${String(key['state'])}, its answer ${isSaved ? '' : 'not '}saved`,
          key,
        ),
      );
  }
  for (const payment of world.payments.values()) found.push(...wholePayment(world, payment));
  return found;
}

function wholePayment(world: World, payment: Row): Violation[] {
  const id = String(payment['id']);
  const { status } = payment;
  const found: Violation[] = [];
  const [charge] = world.of('operations', id).filter(({ kind }) => kind === 'charge');
  const key = charge && world.keyOf.get(ownerOf({ ...payment, key_hash: charge['key_hash'] }));
  const ended = key?.['state'] === 'finished' || key?.['state'] === 'canceled';
  if (charge && ended !== (status !== 'pending')) {
    const says = `payment ${id} is ${String(status)}, its key ${String(key?.['state'])}`;
    found.push(violation('I6', says, payment, ...(key ? [key] : [])));
  }
  const entries = world.of('ledger_entries', id);
  const booked = entries.filter(({ entry_kind: kind }) =>
    ['charge', 'capture', 'late_success_accepted'].includes(String(kind)),
  );
  if (booked.length > 0 !== (status === 'succeeded'))
    found.push(
      violation(
        'I6',
        `payment ${id} is ${String(status)}, its money ${booked.length > 0 ? '' : 'not '}booked`,
        payment,
        ...booked,
      ),
    );
  if (status === 'succeeded' && sumOf(booked) !== minor(payment['amount_captured']))
    found.push(violation('I3', `payment ${id} and its ledger differ`, payment, ...booked));
  for (const refund of world.of('refunds', id)) found.push(...wholeRefund(refund, entries));
  return found;
}

function wholeRefund(refund: Row, entries: readonly Row[]): Violation[] {
  // One that the processor declined may be there as well, under an id, and moved nothing.
  const isBack = refund['failure_code'] === 'failed_later';
  const taken = refund['processor_id'] !== null && (refund['status'] !== 'failed' || isBack);
  const mine = entries.filter(({ source_id: source }) => source === refund['id']);
  const out = mine.filter(({ entry_kind: kind }) => String(kind).endsWith('refund'));
  const back = mine.filter(({ entry_kind: kind }) => String(kind).endsWith('refund_failed'));
  const right =
    out.length === Number(taken) &&
    back.length === Number(isBack) &&
    [...out, ...back].every(({ amount }) => amount === refund['amount']);
  if (right) return [];
  const says = `refund ${String(refund['id'])} is ${String(refund['status'])}, and the ledger tells otherwise`;
  return [violation('I6', says, refund, ...mine)];
}

/** I7: the events of a payment are numbered without a gap, and walk along allowed edges to its state. */
function forward(world: World, payment: Row): Violation[] {
  const events = world
    .of('outbox_events', String(payment['id']))
    .toSorted((one, other) => Number(one['sequence']) - Number(other['sequence']));
  const found: Violation[] = [];
  const isNumbered = events.every(({ sequence }, at) => sequence === at + 1);
  if (!isNumbered || events.length !== payment['event_sequence'])
    found.push(violation('I7', 'events are missing or misnumbered', payment, ...events));
  let state = 'pending';
  for (const event of events) {
    const [, next] =
      /^payment\.(authorized|succeeded|failed|canceled)$/.exec(String(event['type'])) ?? [];
    if (next === undefined) continue;
    const accepted =
      payment['accepted_break_id'] !== null ? ALLOWED_BY_ACCEPTING[state] : undefined;
    if (!ALLOWED_STATUS[state]?.includes(next) && !accepted?.includes(next))
      found.push(violation('I7', `a payment went from ${state} to ${next}`, payment, event));
    state = next;
  }
  if (state !== payment['status'])
    found.push(
      violation(
        'I7',
        `events end at ${state}, the payment is ${String(payment['status'])}`,
        payment,
      ),
    );
  return found;
}

/** I15: what is final names its evidence. */
function evidence(payment: Row): Violation[] {
  const { status } = payment;
  const none =
    (['succeeded', 'authorized'].includes(String(status)) && payment['processor_id'] === null) ||
    (status === 'failed' && payment['failure_code'] === null) ||
    (['succeeded', 'failed'].includes(String(status)) && payment['settled_at'] === null);
  return none ? [violation('I15', `${String(status)}, and nothing says why`, payment)] : [];
}

/** I17: refunds and disputes of a payment are what its sums say, and never more than was captured. */
function withinCaptured(world: World, payment: Row): Violation[] {
  const id = String(payment['id']);
  const ours = world.of('refunds', id).filter(({ break_id: of }) => of === null);
  const disputes = world.of('disputes', id);
  const standing = disputes.filter(({ status }) => status === 'open' || status === 'lost');
  const sums: [string, bigint][] = [
    ['amount_refunded', sumOf(ours.filter(({ status }) => status === 'succeeded'))],
    ['amount_reserved', sumOf(ours.filter(({ reserved }) => reserved === true))],
    ['amount_disputed', sumOf(standing)],
  ];
  const found = sums
    .filter(([column, sum]) => minor(payment[column]) !== sum)
    .map(([column, sum]) =>
      violation('I17', `${column} of ${id} is not ${sum}`, payment, ...ours, ...disputes),
    );
  const captured = minor(payment['amount_captured']) ?? 0n;
  const left = captured - sums[1]![1] - sums[2]![1] + sumOf(standing, 'excess');
  if (left < 0n || captured > (minor(payment['amount']) ?? 0n))
    found.push(
      violation('I17', `${id} gives back more than was captured`, payment, ...ours, ...disputes),
    );
  return found;
}

/** I9: attempts are numbered as the operation counts them, and none was sent after the limit. */
function attempts(world: World): Violation[] {
  const found: Violation[] = [];
  for (const operation of world.operations.values()) {
    const rows = world
      .attemptsOf(String(operation['id']))
      .toSorted((one, other) => Number(one['attempt_no']) - Number(other['attempt_no']));
    const isNumbered = rows.every((row, at) => row['attempt_no'] === at + 1);
    if (!isNumbered || rows.length !== operation['attempts_made'])
      found.push(violation('I9', 'attempts are missing or misnumbered', operation, ...rows));
    const limit = Date.parse(String(operation['send_until']));
    const late = rows.filter(
      (row) =>
        row['action'] === 'send' &&
        row['outcome'] !== 'not_sent' &&
        !(Date.parse(String(row['opened_at'])) <= limit),
    );
    if (late.length > 0) found.push(violation('I9', 'sent past the limit', operation, ...late));
  }
  return found;
}
