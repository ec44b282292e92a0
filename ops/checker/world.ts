import { createHash } from 'node:crypto';
import type { BookLine, Books, HistoryLine, Row, Violation } from './books.js';

/** A request and what its client heard of it, if anything. */
export type Call = { invoke: HistoryLine; heard: HistoryLine | null };

/** All calls of one account under one key. */
export type Intent = { account: string; key: string; hash: string; calls: Call[] };

/** The three books, found by what ties them together. Built once for a check; every look-up is a map's. */
export type World = {
  books: Books;
  calls: Call[];
  intents: Intent[];
  table(name: string): Row[];
  keyOf: ReadonlyMap<string, Row>;
  savedOf: ReadonlyMap<string, Row>;
  payments: ReadonlyMap<string, Row>;
  operations: ReadonlyMap<string, Row>;
  /** By the payment's id. */
  of(name: string, payment: string): Row[];
  attemptsOf(operation: string): Row[];
  /** Charges and authorizations with everything that hangs from them, by the reference that we sent. */
  linesOf(intent: string): BookLine[];
};

export function worldOf(books: Books): World {
  const table = (name: string) => books.database[name] ?? [];
  const byPayment = new Map<string, Map<string, Row[]>>();
  const of = (name: string, payment: string): Row[] => {
    let groups = byPayment.get(name);
    if (groups === undefined) {
      groups = groupBy(table(name), ({ payment_id }) => String(payment_id));
      byPayment.set(name, groups);
    }
    return groups.get(payment) ?? [];
  };
  const attempts = groupBy(table('attempts'), ({ operation_id }) => String(operation_id));
  const calls = callsOf(books.history);
  const lines = linesByIntent(books.processor);
  return {
    books,
    calls,
    intents: intentsOf(calls),
    table,
    keyOf: new Map(table('idempotency_keys').map((row) => [ownerOf(row), row])),
    savedOf: new Map(table('saved_answers').map((row) => [ownerOf(row), row])),
    payments: new Map(table('payments').map((row) => [String(row['id']), row])),
    operations: new Map(table('operations').map((row) => [String(row['id']), row])),
    of,
    attemptsOf: (operation) => attempts.get(operation) ?? [],
    linesOf: (intent) => lines.get(intent) ?? [],
  };
}

/** Who a key row or a saved answer belongs to. */
export const ownerOf = (row: Row): string =>
  `${String(row['account_id'])} ${String(row['key_hash'])}`;
export const idOf = ({ account, hash }: Intent): string => `${account} ${hash}`;

/** What the service finds a key by, in the database's spelling of bytes. */
export function hashOf(key: string): string {
  return `\\x${createHash('sha256').update(unquoted(key), 'utf8').digest('hex')}`;
}

/** Bare or as a string of RFC 8941: one key. */
export function unquoted(key: string): string {
  const text = key.trim();
  const quoted = /^"((?:[^"\\]|\\["\\])*)"\s*(?:;.*)?$/.exec(text);
  return quoted ? quoted[1]!.replace(/\\(["\\])/g, '$1') : text;
}

/**
 * The key under which the processor must know the charge of an intent: version 8 of RFC 9562 over sha256 of account,
 * operation and idempotency key, each behind its length. Written anew from the page, not taken from the service.
 */
export function derivedKey(account: string, operation: string, key: string): string {
  const parts = [account, operation, unquoted(key)].map((part) => Buffer.from(part, 'utf8'));
  const sized = parts.flatMap((part) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(part.length);
    return [size, part];
  });
  const seed = Buffer.concat([Buffer.from('payonce/processor-key/1\n'), ...sized]);
  const hex = createHash('sha256').update(seed).digest('hex').slice(0, 32);
  const variant = ((parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  const id = `${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17)}`;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Whole minor units; anything else that stands where money should is said to be no money. */
export function minor(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null;
  if (typeof value !== 'string' || !/^-?(0|[1-9]\d*)$/.test(value)) return null;
  return BigInt(value);
}

/** As `minor`, for a column that the schema keeps whole. */
export function sumOf(rows: readonly Row[], column = 'amount'): bigint {
  return rows.reduce((total, row) => total + (minor(row[column]) ?? 0n), 0n);
}

export function violation(invariant: string, says: string, ...rows: object[]): Violation {
  return { invariant, says, rows };
}

export function groupBy<Item>(
  items: readonly Item[],
  of: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(of(item));
    if (group) group.push(item);
    else groups.set(of(item), [item]);
  }
  return groups;
}

/** A body that is an object; null for anything else, also for a body that was cut. */
export function objectOf(text: string | null | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function callsOf(history: readonly HistoryLine[]): Call[] {
  const calls = new Map<string, Call>();
  for (const line of history) {
    if (line.type === 'invoke') calls.set(line.call, { invoke: line, heard: null });
    else {
      const call = calls.get(line.call);
      if (call) call.heard = line;
    }
  }
  return [...calls.values()];
}

function intentsOf(calls: readonly Call[]): Intent[] {
  const keyed = calls.filter(({ invoke }) => invoke.key !== null && invoke.method === 'POST');
  const groups = groupBy(keyed, ({ invoke }) => `${invoke.account} ${hashOf(invoke.key!)}`);
  return [...groups.values()].map((group) => {
    const { account, key } = group[0]!.invoke;
    return { account, key: key!, hash: hashOf(key!), calls: group };
  });
}

/** A payment's own lines carry our reference; what belongs to them names its parent. */
function linesByIntent(book: readonly BookLine[]): Map<string, BookLine[]> {
  const intentOf = new Map<string, string>();
  const groups = new Map<string, BookLine[]>();
  for (const line of book) {
    const own = line.parent === null ? line.metadata['payonce_intent'] : undefined;
    const intent = own ?? intentOf.get(line.parent ?? '') ?? line.metadata['payonce_intent'] ?? '';
    intentOf.set(line.id, intent);
    const group = groups.get(intent);
    if (group) group.push(line);
    else groups.set(intent, [line]);
  }
  return groups;
}
