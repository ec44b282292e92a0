import { createHash } from 'node:crypto';
import type { BookLine, Books, HistoryLine, Row } from '../../../ops/checker/books.js';
import type { Good } from './good-books.js';

type Test<Item> = (item: Item) => boolean;

/**
 * A copy of the good books, to be spoiled. Every look-up throws where it finds nothing, so that no entry of the corpus
 * can stop spoiling anything without being noticed.
 */
export class Draft {
  readonly books: Books;
  readonly accounts: Good['accounts'];

  constructor({ books, accounts }: Good) {
    this.books = structuredClone(books);
    this.accounts = accounts;
  }

  /** What the first account's client heard of a key, in order. */
  heard(key: string): HistoryLine[] {
    const { history } = this.books;
    const found = history.filter(
      (line) => line.type !== 'invoke' && line.key === key && line.account === this.accounts.first,
    );
    return some(found, `nothing was heard of ${key}`);
  }

  first(key: string): HistoryLine {
    return this.heard(key)[0]!;
  }

  last(key: string): HistoryLine {
    return this.heard(key).at(-1)!;
  }

  /** The answer to the last reading of a payment. */
  lastRead(key: string): HistoryLine {
    const id = this.payment(key)['id'];
    const read = this.books.history.findLast(
      ({ type, method, path, status }) =>
        type === 'answer' && method === 'GET' && path.endsWith(String(id)) && status === 200,
    );
    return there(read, `nobody reads the payment of ${key}`);
  }

  keyRow(key: string): Row {
    const hash = `\\x${createHash('sha256').update(key).digest('hex')}`;
    return this.row('idempotency_keys', (row) => this.isOurs(row) && row['key_hash'] === hash);
  }

  saved(key: string): Row {
    const { key_hash: hash } = this.keyRow(key);
    return this.row('saved_answers', (row) => this.isOurs(row) && row['key_hash'] === hash);
  }

  operation(key: string): Row {
    const { operation_id: id } = this.keyRow(key);
    return this.row('operations', (row) => row['id'] === id);
  }

  payment(key: string): Row {
    const { payment_id: id } = this.keyRow(key);
    return this.row('payments', (row) => row['id'] === id);
  }

  refund(key: string): Row {
    const { id } = this.operation(key);
    return this.row('refunds', (row) => row['operation_id'] === id);
  }

  /** Rows of a payment, one kind of them where a ledger entry or an event is meant. */
  of(table: string, key: string, kind?: string): Row[] {
    const { id } = this.payment(key);
    const found = this.table(table).filter(
      (row) =>
        row['payment_id'] === id && (!kind || [row['entry_kind'], row['type']].includes(kind)),
    );
    return some(found, `no ${kind ?? 'row'} in ${table} of ${key}`);
  }

  attempts(key: string): Row[] {
    const { id } = this.operation(key);
    const found = this.table('attempts').filter((row) => row['operation_id'] === id);
    return some(found, `no attempts of ${key}`);
  }

  entry(key: string, kind: string): Row {
    return this.of('ledger_entries', key, kind)[0]!;
  }

  event(key: string, type: string): Row {
    return this.of('outbox_events', key, type)[0]!;
  }

  row(table: string, is: Test<Row>): Row {
    return there(this.table(table).find(is), `no such row in ${table}`);
  }

  table(name: string): Row[] {
    return there(this.books.database[name], `no table ${name}`);
  }

  /** A line of the processor's under what was sent for a key, or that hangs from it. */
  line(key: string, operation: string): BookLine {
    const own = this.operation(key)['processor_key'];
    const id = this.payment(key)['processor_id'];
    const is = (line: BookLine) =>
      line.operation === operation &&
      (line.metadata['payonce_intent'] === own || line.parent === id);
    return there(this.books.processor.find(is), `no ${operation} of ${key}`);
  }

  lineUnder(id: unknown, operation: string): BookLine {
    const is = (line: BookLine) => line.operation === operation && line.parent === id;
    return there(this.books.processor.find(is), `no ${operation} under ${String(id)}`);
  }

  add(table: string, row: Row): void {
    this.table(table).push(row);
  }

  addLine(line: BookLine): void {
    this.books.processor.push({ ...line, seq: this.books.processor.length + 1 });
  }

  /** Adds what a request hears, as the last thing that happens. */
  addCall(like: HistoryLine, heard: Partial<HistoryLine>, sent: Partial<HistoryLine> = {}): void {
    const { client, account, method, path, key } = like;
    const invoke = this.books.history.find(({ call }) => call === like.call)!;
    const call = `added-${this.books.history.length}`;
    const line = { at: like.at, call, client, account, method, path, key, body: invoke.body };
    const seq = this.books.history.length;
    this.books.history.push({ ...line, ...sent, seq: seq + 1, type: 'invoke' });
    const { status, text, whole, headers } = like;
    const answer = { status, text, whole, headers } as Partial<HistoryLine>;
    this.books.history.push({
      ...line,
      ...sent,
      ...answer,
      type: 'answer',
      seq: seq + 2,
      ...heard,
    });
  }

  drop(table: string, ...rows: Row[]): void {
    const kept = this.table(table).filter((row) => !rows.includes(row));
    if (kept.length !== this.table(table).length - rows.length) throw new Error(`not in ${table}`);
    this.books.database[table] = kept;
  }

  dropLine(line: BookLine): void {
    this.books.processor = this.books.processor.filter((one) => one !== line);
  }

  /** All that was sent and heard under a key, as if its client had kept no book. */
  forget(key: string): void {
    some(this.heard(key), key);
    this.books.history = this.books.history.filter((line) => line.key !== key);
  }

  private isOurs(row: Row): boolean {
    return row['account_id'] === this.accounts.first;
  }
}

function there<Item>(item: Item | undefined, what: string): Item {
  if (item === undefined) throw new Error(`The good books have ${what}`);
  return item;
}

function some<Item>(items: Item[], what: string): Item[] {
  if (items.length === 0) throw new Error(`In the good books ${what}`);
  return items;
}
