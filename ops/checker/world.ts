import type { BookLine, Books, Row, Violation } from './books.js';
import { type Call, callsOf } from './calls.js';
import { hashOf, unquoted } from './keys.js';
import { askedFor } from './requests.js';
import type { Terms } from './terms.js';

/** All calls of one account under one key, on the routes that take one. The key is as it was meant, unquoted. */
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
  refunds: ReadonlyMap<string, Row>;
  /** Whether a payment, refund or operation was found at the processor after a restore had lost it. */
  isImported(row: Row): boolean;
  /** By the payment's id. */
  of(name: string, payment: string): Row[];
  attemptsOf(operation: string): Row[];
  /** Charges and authorizations with everything that hangs from them, by the reference that we sent. */
  linesOf(intent: string): BookLine[];
  /** A line of an operation, by the processor's id; `lineUnder` by that of what it belongs to. */
  line(operation: string, id: unknown): BookLine | undefined;
  lineUnder(operation: string, parent: unknown): BookLine | undefined;
  /** The break that tells of late money, by the processor's id. */
  lateOf(reference: string): Row | undefined;
  /** Whether what an account asked for stands in H. One that has a line there kept a book, whatever the terms say. */
  isRecorded(account: unknown, terms: Terms): boolean;
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
  const callers = new Set(calls.map(({ invoke }) => invoke.account));
  const lines = linesByIntent(books.processor);
  const imported = importedIn(books);
  const byId = new Map(books.processor.map((line) => [`${line.operation} ${line.id}`, line]));
  const under = new Map(books.processor.map((line) => [`${line.operation} ${line.parent}`, line]));
  const late = table('breaks').filter(({ kind }) => kind === 'late_success');
  const lateBy = new Map(late.map((row) => [String(row['reference']), row]));
  return {
    books,
    calls,
    intents: intentsOf(calls),
    table,
    keyOf: new Map(table('idempotency_keys').map((row) => [ownerOf(row), row])),
    savedOf: new Map(table('saved_answers').map((row) => [ownerOf(row), row])),
    payments: new Map(table('payments').map((row) => [String(row['id']), row])),
    operations: new Map(table('operations').map((row) => [String(row['id']), row])),
    refunds: new Map(table('refunds').map((row) => [String(row['id']), row])),
    isImported: ({ id }) => imported.has(String(id)),
    of,
    attemptsOf: (operation) => attempts.get(operation) ?? [],
    linesOf: (intent) => lines.get(intent) ?? [],
    line: (operation, id) => byId.get(`${operation} ${String(id)}`),
    lineUnder: (operation, parent) => under.get(`${operation} ${String(parent)}`),
    lateOf: (reference) => lateBy.get(reference),
    isRecorded: (account, { unrecorded = [] }) =>
      calls.length > 0 && (callers.has(String(account)) || !unrecorded.includes(String(account))),
  };
}

/** Ids of operations, payments and refunds that an import made. */
function importedIn({ database }: Books): Set<string> {
  const operations = new Set(
    (database['imported_operations'] ?? []).map((row) => String(row['operation_id'])),
  );
  const charges = (database['operations'] ?? []).filter(
    ({ id, kind }) => kind === 'charge' && operations.has(String(id)),
  );
  const refunds = (database['refunds'] ?? []).filter((row) =>
    operations.has(String(row['operation_id'])),
  );
  const things = [
    ...charges.map((row) => String(row['payment_id'])),
    ...refunds.map((row) => String(row['id'])),
  ];
  return new Set([...operations, ...things]);
}

/** Who a key row or a saved answer belongs to. */
export const ownerOf = (row: Row): string =>
  `${String(row['account_id'])} ${String(row['key_hash'])}`;
export const idOf = ({ account, hash }: Intent): string => `${account} ${hash}`;

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

function intentsOf(calls: readonly Call[]): Intent[] {
  const keyed = calls.filter(({ invoke }) => invoke.key !== null && askedFor(invoke) !== null);
  const groups = groupBy(keyed, ({ invoke }) => `${invoke.account} ${hashOf(invoke.key!)}`);
  return [...groups.values()].map((group) => {
    const { account, key } = group[0]!.invoke;
    return { account, key: unquoted(key!), hash: hashOf(key!), calls: group };
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
