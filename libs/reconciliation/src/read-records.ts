import { isUtf8 } from 'node:buffer';
import { cellsOf } from './parse-cells.js';

/** A record of the file: mostly one line, more where a cell in quotes holds line ends. */
export type FileRecord = {
  /** The number of its first line, as an editor counts. */
  line: number;
  raw: string;
  /** Null: it cannot be split into cells; `problem` says why. */
  cells: string[] | null;
  problem: string | null;
};

/** The file as a whole cannot be read. */
export class UnreadableReport extends Error {}

const LINE_BYTES_MAX = 1 << 20;
/** A quote that is not closed within so many lines was never meant to span them. */
const LINES_A_RECORD_MAX = 20;
const NEWLINE = 0x0a;

/**
 * Splits a file into records, piece by piece: what is in memory is a piece and the line that it ends within. One
 * line that is broken, by a quote that nobody closes as by bytes that are no UTF-8, is that line's trouble alone.
 */
export class RecordReader {
  #rest: Buffer = Buffer.alloc(0);
  #isFirst = true;
  #line = 1;
  /** Lines of a record that has not ended. */
  #held: string[] = [];

  *push(piece: Buffer): Generator<FileRecord> {
    const end = piece.lastIndexOf(NEWLINE);
    if (end === -1) return this.#keep(piece);
    const whole = Buffer.concat([this.#rest, piece.subarray(0, end)]);
    this.#rest = Buffer.alloc(0);
    this.#keep(piece.subarray(end + 1));
    yield* this.#lines(whole);
  }

  *end(): Generator<FileRecord> {
    const last = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (last.length > 0) yield* this.#lines(last);
    while (this.#held.length > 0) yield* this.#giveUpFirst();
  }

  #keep(piece: Buffer): void {
    if (this.#rest.length + piece.length > LINE_BYTES_MAX) {
      throw new UnreadableReport(
        `Line ${this.#line} is longer than a mebibyte: this is no report.`,
      );
    }
    this.#rest = Buffer.concat([this.#rest, piece]);
  }

  *#lines(bytes: Buffer): Generator<FileRecord> {
    const start = this.#isFirst && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    this.#isFirst = false;
    const body = bytes.subarray(start);
    if (isUtf8(body)) {
      for (const text of body.toString('utf8').split('\n')) yield* this.#take(text);
      return;
    }
    let from = 0;
    while (from <= body.length) {
      const found = body.indexOf(NEWLINE, from);
      const end = found === -1 ? body.length : found;
      const line = body.subarray(from, end);
      const text = line.toString('utf8');
      if (isUtf8(line)) yield* this.#take(text);
      else {
        while (this.#held.length > 0) yield* this.#giveUpFirst();
        yield this.#bad(text, 'it is not UTF-8');
      }
      from = end + 1;
    }
  }

  *#take(line: string): Generator<FileRecord> {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    this.#held.push(text);
    const raw = this.#held.length === 1 ? text : this.#held.join('\n');
    if (raw.trim() === '') return this.#skip();
    const cells = cellsOf(raw);
    if (cells === 'open') {
      if (this.#held.length >= LINES_A_RECORD_MAX) yield* this.#giveUpFirst();
      return;
    }
    if (cells === null && this.#held.length > 1) return yield* this.#giveUpFirst();
    const problem = problemOf(cells, raw);
    yield { line: this.#line, raw: cleaned(raw), cells: problem ? null : cells, problem };
    this.#skip();
  }

  #skip(): void {
    this.#line += this.#held.length;
    this.#held = [];
  }

  /** The first of the lines that are held is broken; the others begin anew. */
  *#giveUpFirst(): Generator<FileRecord> {
    const [first = '', ...others] = this.#held;
    this.#held = [];
    yield this.#bad(first, 'a quote in it is never closed');
    for (const line of others) yield* this.#take(line);
  }

  #bad(text: string, problem: string): FileRecord {
    const bad = { line: this.#line, raw: cleaned(text), cells: null, problem };
    this.#line += 1;
    return bad;
  }
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

function problemOf(cells: string[] | null, raw: string): string | null {
  if (cells === null) return 'it is no CSV: a quote stands in the middle of a cell';
  return raw.includes('\0') ? 'it holds a NUL character' : null;
}

/** PostgreSQL's text holds no NUL. */
function cleaned(raw: string): string {
  return raw.includes('\0') ? raw.replaceAll('\0', '\uFFFD') : raw;
}
