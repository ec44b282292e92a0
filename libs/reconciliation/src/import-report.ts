import { createHash } from 'node:crypto';
import { failpoint } from '#seams/failpoints.js';
import type { LongTx } from '#postgres/long-session.js';
import { copyRow } from './copy-rows.js';
import {
  BELIEVE_AGAIN,
  COPY_LINES,
  FIND_IMPORT,
  READ_NOW,
  STORE_IMPORT,
  SUPERSEDE,
} from './import.sql.js';
import { type Header, COLUMNS, readHeader, readLine } from './read-line.js';
import { type FileRecord, RecordReader, UnreadableReport } from './read-records.js';
import { type Summary, type Totals, Tally, differenceFrom } from './tally.js';

/** A report as it comes from its publisher. */
export type ReportFile = {
  /** An address, or a file's name. */
  source: string;
  pieces: AsyncIterable<Buffer>;
  /** What it should come to; null where nobody says. */
  summary: Summary | null;
};

export type Imported = {
  id: string;
  date: string;
  sha256: string;
  lines: number;
  badLines: number;
  totals: Totals;
  /** The same file had been imported before. */
  isKnown: boolean;
};

export type ImportOrder = {
  processorName: string;
  /** Null: the day that most of its lines are of. */
  date: string | null;
  file: ReportFile;
  progress: (lines: number) => void;
};

/**
 * Reads a whole report into the database, whatever its size, with no more of it in memory than a piece. It belongs
 * into one transaction: whoever dies here leaves nothing, and a file that does not fit its summary is not kept.
 */
export async function importReport(tx: LongTx, order: ImportOrder): Promise<Imported> {
  const { processorName, file } = order;
  const [started] = await tx.run(READ_NOW, []);
  if (!started) throw new Error('Bug: the database has no time');
  const { id, now } = started;
  const reading = new Reading(order);
  const undo = await tx.savepoint();
  await tx.copy(COPY_LINES, reading.rows(id));
  const { tally, sha256 } = reading;
  const date = order.date ?? tally.day();
  if (date === null)
    throw new UnreadableReport('It has no lines: --date must say what day it is of.');
  const difference = file.summary && differenceFrom(file.summary, tally, sha256);
  if (difference) throw new UnreadableReport(`The report is not whole: ${difference}.`);
  await failpoint('s2');
  const told = {
    date,
    sha256,
    lines: tally.lines,
    badLines: tally.badLines,
    totals: tally.printed(),
  };
  const [known] = await tx.run(FIND_IMPORT, [processorName, date, sha256]);
  if (known) {
    await undo();
    await tx.run(SUPERSEDE, [processorName, date, known.id]);
    await tx.run(BELIEVE_AGAIN, [known.id, now]);
    return { id: known.id, ...told, isKnown: true };
  }
  await tx.run(SUPERSEDE, [processorName, date, id]);
  const totals = JSON.stringify(tally.totals());
  const counts = [tally.lines, tally.badLines];
  await tx.run(STORE_IMPORT, [
    id,
    processorName,
    date,
    sha256,
    file.source,
    ...counts,
    totals,
    now,
  ]);
  return { id, ...told, isKnown: false };
}

/** How much is handed to the database at a time. */
const PIECE_CHARACTERS = 1 << 18;

/** One passage over the file: hashed, split, read, counted. */
class Reading {
  readonly tally = new Tally();
  readonly #hash = createHash('sha256');
  readonly #records = new RecordReader();
  #header: Header | null = null;
  #sha256: string | null = null;

  constructor(private readonly order: ImportOrder) {}

  get sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex');
    return this.#sha256;
  }

  async *rows(importId: string): AsyncGenerator<string> {
    let rows = '';
    for await (const piece of this.order.file.pieces) {
      this.#hash.update(piece);
      for (const record of this.#records.push(piece)) {
        rows += this.#row(importId, record);
        if (rows.length < PIECE_CHARACTERS) continue;
        yield rows;
        rows = '';
        this.order.progress(this.tally.lines);
      }
    }
    for (const record of this.#records.end()) rows += this.#row(importId, record);
    if (this.#header === null) throw new UnreadableReport('The report is empty: it has no header.');
    if (rows !== '') yield rows;
  }

  #row(importId: string, record: FileRecord): string {
    if (this.#header === null) {
      this.#header = headerOf(record);
      return '';
    }
    const read = record.cells
      ? readLine(record.cells, this.#header)
      : (record.problem ?? 'it cannot be read');
    this.tally.add(read);
    return copyRow(importId, record, read);
  }
}

function headerOf({ cells }: FileRecord): Header {
  const header = cells && readHeader(cells);
  if (header && 'at' in header) return header;
  const names = Object.values(COLUMNS).join(', ');
  const which = header ? `${header.missing} is not there, or is there twice` : 'it is no CSV';
  throw new UnreadableReport(
    `The header is not that of a settlement report: ${which}. It needs ${names}.`,
  );
}
