import { isSameAmount, minor, minorTold } from './amounts.js';
import type { HistoryLine, Row, Violation } from './books.js';
import { type Call, isWhole } from './calls.js';
import { objectOf } from './json.js';
import { askedFor } from './requests.js';
import { type Told, mayBecome, recorded, rowOf, thingsIn } from './things.js';
import { type World, idOf, violation } from './world.js';

/** Every payment and refund that any answer told of, live or replayed, against what is recorded of it. */
export function checkTold(world: World): Violation[] {
  const found = world.calls.flatMap((call) => {
    const { invoke, heard, told } = call;
    if (heard === null || !isWhole(heard)) return [];
    return thingsIn(told).flatMap((one) => {
      const row = rowOf(world, one);
      return [...recorded(world, one, row, [invoke, heard]), ...meant(call, one, row)];
    });
  });
  return [...found, ...asked(world), ...neverBack(world)];
}

const OF_PAYMENT = /^\/v1\/payments\/([0-9a-f-]{36})(?:\/|\?|$)/;

/** I20: nobody is told of what is another's. I3: who asks about one payment is not told of another. */
function meant({ invoke, heard }: Call, told: Told, row: Row | undefined): Violation[] {
  const proof = [invoke, heard!, ...(row ? [row] : [])];
  const found: Violation[] = [];
  if (row !== undefined && row['account_id'] !== invoke.account)
    found.push(violation('I20', `${invoke.account} was told of what is another's`, ...proof));
  const [, named] = OF_PAYMENT.exec(invoke.path) ?? [];
  const id = told['object'] === 'payment' ? told['id'] : told['payment_id'];
  if (named !== undefined && named !== id)
    found.push(violation('I3', `asked about ${named}, and told of ${String(id)}`, ...proof));
  return found;
}

/** I3: what is recorded under a key is what was asked for under it, whether or not its caller heard of it. */
function asked(world: World): Violation[] {
  return world.intents.flatMap((intent) => {
    const key = world.keyOf.get(idOf(intent));
    const operation = key && world.operations.get(String(key['operation_id']));
    const call = intent.calls.find(({ fingerprint }) => fingerprint === key?.['fingerprint']);
    if (operation === undefined || call === undefined) return [];
    const { invoke } = call;
    const body = objectOf(invoke.body) ?? {};
    const isCharge = askedFor(invoke)?.kind === 'charge';
    const isSame =
      (!isCharge && body['amount'] === undefined) ||
      isSameAmount(minorTold(body['amount']), minor(operation['amount']));
    const payment = world.payments.get(String(operation['payment_id']));
    const isTheirs = !isCharge || payment === undefined || isAsAsked(payment, body);
    if (isSame && isTheirs && (!isCharge || body['currency'] === operation['currency'])) return [];
    const proof = [invoke, operation, ...(payment ? [payment] : [])];
    return [violation('I3', `${intent.key}: asked and recorded differ`, ...proof)];
  });
}

/** Whose card, for which order, and whether at once. */
function isAsAsked(payment: Row, body: Told): boolean {
  return (
    payment['payment_method'] === body['payment_method'] &&
    payment['order_id'] === (body['order_id'] ?? null) &&
    payment['description'] === (body['description'] ?? null) &&
    payment['capture'] === (body['capture'] ?? 'automatic')
  );
}

/** I7 and I12: who reads a payment after somebody was told of it sees that state or a later one. */
function neverBack(world: World): Violation[] {
  const found: Violation[] = [];
  const floors = new Map<string, { status: string; line: HistoryLine }>();
  const atStart = new Map<string, { status: string; line: HistoryLine } | undefined>();
  const calls = new Map(world.calls.map((call) => [call.invoke.call, call]));
  for (const line of world.books.history) {
    const read = line.method === 'GET' ? /^\/v1\/payments\/([0-9a-f-]+)$/.exec(line.path) : null;
    const id = read?.[1] ?? null;
    if (line.type === 'invoke') {
      if (id !== null) atStart.set(line.call, floors.get(`${line.account} ${id}`));
      continue;
    }
    if (!isWhole(line)) continue;
    const floor = id === null ? undefined : atStart.get(line.call);
    if (floor !== undefined && line.status === 404)
      found.push(violation('I12', `payment ${id} was told, and then not found`, floor.line, line));
    for (const told of thingsIn(calls.get(line.call)?.told ?? null)) {
      if (told['object'] !== 'payment') continue;
      const status = String(told['status']);
      if (
        floor !== undefined &&
        told['id'] === id &&
        !mayBecome('payment', floor.status, status, true)
      )
        found.push(
          violation('I7', `payment ${id} was ${floor.status}, then ${status}`, floor.line, line),
        );
      const owner = `${line.account} ${String(told['id'])}`;
      const known = floors.get(owner);
      if (known === undefined || mayBecome('payment', known.status, status, true))
        floors.set(owner, { status, line });
    }
  }
  return found;
}
