import { isSameAmount, minor, minorTold } from './amounts.js';
import { ALLOWED_BY_ACCEPTING, ALLOWED_REFUND, ALLOWED_STATUS } from './allowed-status.js';
import type { HistoryLine, Row, Violation } from './books.js';
import { isWhole } from './calls.js';
import { objectOf } from './json.js';
import { askedFor } from './requests.js';
import { type World, idOf, violation } from './world.js';

type Told = Record<string, unknown>;

/** Every payment and refund that any answer told of, live or replayed, against what is recorded of it. */
export function checkTold(world: World): Violation[] {
  const refunds = new Map(world.table('refunds').map((row) => [String(row['id']), row]));
  const found = world.calls.flatMap(({ invoke, heard, told }) => {
    if (heard === null || !isWhole(heard)) return [];
    return objectsIn(told).flatMap((one) => {
      const rows = one['object'] === 'payment' ? world.payments : refunds;
      return recorded(invoke, heard, one, rows.get(String(one['id'])));
    });
  });
  return [...found, ...asked(world), ...neverBack(world)];
}

/** A payment or refund in an answer: the answer itself, one of a list, or the one that a problem is about. */
function objectsIn(body: Told | null): Told[] {
  if (body === null) return [];
  const inner = [body['payment'], body['refund'], ...list(body['data'])].filter(isObject);
  return [body, ...inner].filter(({ object }) => object === 'payment' || object === 'refund');
}

/** I12: what was told is there. I3: it is told to the cent. I7: from the state that was told, its state is reached. */
function recorded(
  invoke: HistoryLine,
  heard: HistoryLine,
  told: Told,
  row: Row | undefined,
): Violation[] {
  const name = `${String(told['object'])} ${String(told['id'])}`;
  const proof = [invoke, heard, ...(row ? [row] : [])];
  if (row === undefined) return [violation('I12', `${name} was told, and is not there`, ...proof)];
  const found: Violation[] = [];
  const agrees =
    isSameAmount(minorTold(told['amount']), minor(row['amount'])) &&
    told['currency'] === row['currency'] &&
    capturedAgrees(told, row);
  if (!agrees) found.push(violation('I3', `${name} was told otherwise than recorded`, ...proof));
  if (!isReached(told, row))
    found.push(
      violation(
        'I7',
        `${name} was told ${String(told['status'])}, is ${String(row['status'])}`,
        ...proof,
      ),
    );
  return found;
}

/** What was captured never changes again, once the payment has succeeded. */
function capturedAgrees(told: Told, row: Row): boolean {
  if (told['object'] !== 'payment') return true;
  const captured = minorTold(told['amount_captured']);
  if (told['status'] !== 'succeeded') return captured === 0n;
  return isSameAmount(captured, minor(row['amount_captured']));
}

function isReached(told: Told, row: Row): boolean {
  const wasAccepted = (row['accepted_break_id'] ?? null) !== null;
  return mayBecome(told['object'], String(told['status']), String(row['status']), wasAccepted);
}

function mayBecome(object: unknown, from: string, to: string, accepted: boolean): boolean {
  const seen = new Set([from]);
  for (const state of seen) {
    const next =
      object === 'refund'
        ? (ALLOWED_REFUND[state] ?? [])
        : [
            ...(ALLOWED_STATUS[state] ?? []),
            ...(accepted ? (ALLOWED_BY_ACCEPTING[state] ?? []) : []),
          ];
    for (const one of next) seen.add(one);
  }
  return seen.has(to);
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
    if (isSame && (!isCharge || body['currency'] === operation['currency'])) return [];
    return [violation('I3', `${intent.key}: asked and recorded differ`, invoke, operation)];
  });
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
    for (const told of objectsIn(calls.get(line.call)?.told ?? null)) {
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

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Told {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
