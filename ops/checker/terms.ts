import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BooksError } from './books.js';

/** Under which terms books are compared. */
export type Terms = {
  /** Nothing is under way any more: then everything must have its end as well. */
  quiet: boolean;
  /** Texts that may stand nowhere: in no answer, no row and no line of the processor's. */
  canaries?: readonly string[];
  /** Accounts whose clients kept no book: nothing can be said of what they asked for. */
  unrecorded?: readonly string[];
  /** Request ids of those that met an error which was planted in our own code: 500 is an honest answer to that. */
  planted?: readonly string[];
};

/** Puts the terms beside the books, so that whoever judges them once more judges the same. */
export function writeTerms(folder: string, terms: Terms): void {
  writeFileSync(join(folder, FILE), `${JSON.stringify(terms)}\n`);
}

/** The terms of the books in a folder; without any, nothing is under way any more. */
export function readTerms(folder: string): Terms {
  const file = join(folder, FILE);
  if (!existsSync(file)) return { quiet: true };
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Terms;
  } catch {
    throw new BooksError(`${file} is not JSON`);
  }
}

const FILE = 'terms.json';
