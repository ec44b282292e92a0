import { isSameAmount, minor, minorTold } from './amounts.js';
import { ALLOWED_BY_ACCEPTING, ALLOWED_REFUND, ALLOWED_STATUS } from './allowed-status.js';
import type { Row, Violation } from './books.js';
import { type World, violation } from './world.js';

/** A payment or a refund as somebody was told of it. */
export type Told = Record<string, unknown>;

/** Those in an answer: the answer itself, one of a list, or the one that a problem is about. */
export function thingsIn(body: Told | null): Told[] {
  if (body === null) return [];
  const inner = [body['payment'], body['refund'], ...list(body['data'])].filter(isObject);
  return [body, ...inner].filter(({ object }) => object === 'payment' || object === 'refund');
}

/** What is recorded of it. */
export function rowOf(world: World, told: Told): Row | undefined {
  const rows = told['object'] === 'payment' ? world.payments : world.refunds;
  return rows.get(String(told['id']));
}

/**
 * I12: what was told is there. I3: it is told to the cent, and as it was asked for. I17: it never tells of more given
 * back than was taken. I7: from the state that was told, its state is reached.
 */
export function recorded(
  world: World,
  told: Told,
  row: Row | undefined,
  proof: readonly object[],
): Violation[] {
  const name = `${String(told['object'])} ${String(told['id'])}`;
  const all = [...proof, ...(row ? [row] : [])];
  if (row === undefined) return [violation('I12', `${name} was told, and is not there`, ...all)];
  const found: Violation[] = [];
  if (!isSame(world, told, row))
    found.push(violation('I3', `${name} was told otherwise than recorded`, ...all));
  if (!isWithin(told))
    found.push(violation('I17', `${name} is told to have given back more than was taken`, ...all));
  if (!isReached(told, row)) {
    const says = `${name} was told ${String(told['status'])}, is ${String(row['status'])}`;
    found.push(violation('I7', says, ...all));
  }
  return found;
}

export function mayBecome(object: unknown, from: string, to: string, accepted: boolean): boolean {
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

/** Of what is told of it, that which never changes. */
const FOR_EVER: Record<string, readonly string[]> = {
  payment: ['currency', 'payment_method', 'order_id', 'description', 'capture'],
  refund: ['currency', 'payment_id', 'reason'],
};

/** Known to the caller alone: nothing of it at the processor, until the caller came back with it. */
const FILLED_IN = ['order_id', 'description', 'reason'];

function isSame(world: World, told: Told, row: Row): boolean {
  const names = FOR_EVER[String(told['object'])] ?? [];
  return (
    isSameAmount(minorTold(told['amount']), minor(row['amount'])) &&
    names.every(
      (name) =>
        isSameText(told[name], row[name]) ||
        (told[name] === null && FILLED_IN.includes(name) && world.isImported(row)),
    ) &&
    isCaptured(told, row) &&
    isUnderItsId(told, row)
  );
}

/** A problem masks what looks like a secret, however it came to stand there; what is left of the text is the same. */
function isSameText(told: unknown, kept: unknown): boolean {
  if (told === kept) return true;
  if (typeof told !== 'string' || typeof kept !== 'string') return false;
  const parts = told.split(/\*{3,}/);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  return parts.length > 1 && kept.startsWith(first) && kept.endsWith(last);
}

/** What was captured never changes again, once the payment has succeeded. */
function isCaptured(told: Told, row: Row): boolean {
  if (told['object'] !== 'payment') return true;
  const captured = minorTold(told['amount_captured']);
  if (told['status'] !== 'succeeded') return captured === 0n;
  return isSameAmount(captured, minor(row['amount_captured']));
}

/** The processor's own name for it, once that is told; money that was accepted late may have another. */
function isUnderItsId(told: Told, row: Row): boolean {
  const processor = told['processor'];
  const id = isObject(processor) ? (processor['id'] ?? null) : null;
  return id === null || id === row['processor_id'] || (row['accepted_break_id'] ?? null) !== null;
}

function isWithin(told: Told): boolean {
  if (told['object'] !== 'payment') return true;
  const refunded = minorTold(told['amount_refunded']);
  const captured = minorTold(told['amount_captured']);
  return refunded !== null && captured !== null && 0n <= refunded && refunded <= captured;
}

function isReached(told: Told, row: Row): boolean {
  const wasAccepted = (row['accepted_break_id'] ?? null) !== null;
  return mayBecome(told['object'], String(told['status']), String(row['status']), wasAccepted);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Told {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
