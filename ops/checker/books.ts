import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';

/** One line of H: what a client sent, or what it heard, or that it will never hear. */
export type HistoryLine = {
  /** Orders all lines of a run. */
  seq: number;
  at: number;
  /** Ties an answer, or its loss, to the request. */
  call: string;
  /** `lost`: a reset, a timeout, a cut answer: nobody knows what happened. */
  type: 'invoke' | 'answer' | 'lost';
  client: string;
  /** The account's id in our database. */
  account: string;
  method: string;
  path: string;
  key: string | null;
  /** The text as it was sent. */
  body: string | null;
  status?: number;
  /** The bytes as they came, in UTF-8; of a cut answer its beginning. */
  text?: string;
  whole?: boolean;
  headers?: {
    location?: string;
    content_type?: string;
    idempotent_replayed?: string;
    original_request?: string;
    retry_after?: string;
  };
};

/** One row of D as `to_jsonb` prints it: bytes as `\\x` and hex digits, times as text. */
export type Row = Record<string, unknown>;

/** One line of P, as the processor prints its book. */
export type BookLine = {
  seq: number;
  at: string;
  operation: string;
  idempotency_key: string | null;
  id: string;
  parent: string | null;
  amount: number;
  currency: string;
  status: string;
  metadata: Record<string, string>;
};

/** The three books of a run: what clients saw, our database, the processor's own. */
export type Books = {
  history: HistoryLine[];
  database: Record<string, Row[]>;
  processor: BookLine[];
};

/** Books that cannot be judged: they are no books, or not all of them. */
export class BooksError extends Error {
  readonly code = 'BOOKS';
}

/** What is wrong, by which invariant, and the rows that prove it. */
export type Violation = { invariant: string; says: string; rows: object[] };

/**
 * Reads `h.jsonl`, `d.jsonl` and `p.jsonl` of a folder. Throws where one is missing or is not JSON lines, and where H
 * is none: without a request in it nothing is compared, and an answer to nothing says that something was cut off.
 */
export async function readBooks(folder: string): Promise<Books> {
  const database: Books['database'] = {};
  for await (const { table, row } of linesOf<{ table: string; row: Row }>(folder, 'd.jsonl')) {
    (database[table] ??= []).push(row);
  }
  return {
    history: inOrder(await toArray(linesOf<HistoryLine>(folder, 'h.jsonl')), folder),
    database,
    processor: await toArray(linesOf<BookLine>(folder, 'p.jsonl')),
  };
}

/** Writes the three files, one JSON object a line. */
export async function writeBooks(folder: string, books: Books): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const rows = Object.entries(books.database).flatMap(([table, all]) =>
    all.map((row) => ({ table, row })),
  );
  await writeLines(join(folder, 'h.jsonl'), books.history);
  await writeLines(join(folder, 'd.jsonl'), rows);
  await writeLines(join(folder, 'p.jsonl'), books.processor);
}

function inOrder(history: HistoryLine[], folder: string): HistoryLine[] {
  const file = join(folder, 'h.jsonl');
  if (history.length === 0) throw new BooksError(`${file} holds no request: nothing is to compare`);
  const open = new Set<string>();
  let last = 0;
  for (const { seq, call, type } of history) {
    if (!(seq > last)) throw new BooksError(`${file}: line ${seq} comes after line ${last}`);
    last = seq;
    if (type === 'invoke') open.add(call);
    else if (!open.delete(call)) throw new BooksError(`${file}: ${call} is answered, never asked`);
  }
  return history;
}

async function* linesOf<Line>(folder: string, name: string): AsyncGenerator<Line> {
  const file = join(folder, name);
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    number += 1;
    if (text === '') continue;
    try {
      yield JSON.parse(text) as Line;
    } catch {
      throw new BooksError(`${file}:${number} is not JSON`);
    }
  }
}

async function toArray<Line>(lines: AsyncIterable<Line>): Promise<Line[]> {
  const found: Line[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

async function writeLines(file: string, lines: readonly object[]): Promise<void> {
  const texts = function* () {
    for (const line of lines) yield `${JSON.stringify(line)}\n`;
  };
  await pipeline(texts, createWriteStream(file));
}
