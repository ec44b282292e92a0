import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { State, type Entry } from './state.js';

const HEADER = { book: 'mock-processor', version: 1 };
const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** The file is not a book, or is damaged before its last line. */
export class BookError extends Error {}

/**
 * The append-only file and what it says. An entry takes effect in memory at once, and `commit`
 * resolves when it is on the disk; every answer, reads included, waits for `synced`, so nobody is
 * ever told of something that a kill could take back. Entries that come while the disk is busy
 * share the next write and sync.
 */
export class Book {
  readonly state = new State();
  /** How many syncs the book has paid for: fewer than entries when requests come together. */
  syncs = 0;
  /** Set for ever by the first write that fails: from then on memory and disk disagree. */
  failure: Error | null = null;
  /** Called after each sync with how many events are on the disk, and so may be told to anybody. */
  onDurable: (events: number) => void = () => {};

  #file: FileHandle;
  #bytes = 0;
  #waiting: string[] = [];
  #draining: Promise<void> | null = null;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<Book> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'a+', 0o600);
    try {
      const book = new Book(file);
      if (await book.#load(path)) await book.#begin(path);
      return book;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  commit(entry: Entry): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    this.note(entry);
    return this.synced();
  }

  /** For what nobody waits for: it is written with the next entry, and a kill before that loses it. */
  note(entry: Entry): void {
    if (this.failure) return;
    this.state.apply(entry);
    this.#waiting.push(`${JSON.stringify(entry)}\n`);
  }

  /** Resolves when everything that memory holds now is on the disk. */
  async synced(): Promise<void> {
    if (this.failure) throw this.failure;
    if (this.#waiting.length === 0) {
      await this.#draining;
    } else {
      // What was queued while a write is running belongs to the write after it.
      await this.#draining;
      await (this.#draining ??= this.#drain());
    }
    if (this.failure) throw this.failure;
  }

  async close(): Promise<void> {
    await this.synced().catch(() => {});
    await this.#file.close();
  }

  async #drain(): Promise<void> {
    const batch = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    const events = this.state.events.length;
    try {
      const { size } = await this.#file.stat();
      if (size !== this.#bytes) throw new Error('another process writes to this file');
      await this.#file.appendFile(batch);
      await this.#file.datasync();
      this.#bytes += batch.length;
      this.syncs += 1;
      this.onDurable(events);
    } catch (error) {
      const { message } = error as Error;
      this.failure = new BookError(`the book cannot be written: ${message}`, { cause: error });
    } finally {
      this.#draining = null;
    }
  }

  /** Rebuilds the state. Returns whether the file is new. A torn last line is cut off. */
  async #load(path: string): Promise<boolean> {
    let goodBytes = 0;
    let number = 0;
    let rest: Buffer = Buffer.alloc(0);
    let torn: string | null = null;
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; ;) {
      const { bytesRead } = await this.#file.read(chunk, 0, CHUNK_BYTES, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
        number += 1;
        if (torn !== null) throw new BookError(`${path}: ${torn}`);
        torn = this.#read(rest.toString('utf8', start, end), number);
        if (torn === null) goodBytes += end + 1 - start;
        start = end + 1;
      }
      rest = rest.subarray(start);
    }
    if (number === 0 && rest.length > 0 && !isHeaderStart(rest)) {
      throw new BookError(`${path} is not a book of this mock`);
    }
    if (torn !== null && number === 1) throw new BookError(`${path}: ${torn}`);
    if (torn !== null || rest.length > 0) {
      await this.#file.truncate(goodBytes);
      await this.#file.sync();
    }
    this.#bytes = goodBytes;
    return goodBytes === 0;
  }

  /** Applies one line; returns what is wrong with it, or null. */
  #read(line: string, number: number): string | null {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return `line ${number} cannot be read`;
    }
    if (number > 1) {
      this.state.apply(value as Entry);
      return null;
    }
    const same = JSON.stringify(value) === JSON.stringify(HEADER);
    return same ? null : 'the first line is not that of a book of this mock';
  }

  async #begin(path: string): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(HEADER)}\n`);
    await this.#file.appendFile(line);
    await this.#file.sync();
    this.#bytes = line.length;
    // The file's name itself must survive: that is the folder's business.
    const folder = await open(dirname(path), 'r');
    await folder.sync().catch(() => {});
    await folder.close();
  }
}

function isHeaderStart(bytes: Buffer): boolean {
  return JSON.stringify(HEADER).startsWith(bytes.toString('utf8'));
}
