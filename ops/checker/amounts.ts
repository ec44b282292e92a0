import type { Row } from './books.js';
import { digitsOf } from './json.js';

/** Whole minor units of a row; anything else that stands where money should is said to be no money. */
export function minor(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null;
  return typeof value === 'string' ? whole(value) : null;
}

/** The same of a member of a body: a number, spelled as a whole one. A string of digits is not. */
export function minorTold(value: unknown): bigint | null {
  const digits = digitsOf(value);
  return digits === null ? null : whole(digits);
}

/** Two amounts are one: to the unit, and not by how they print. What is no amount equals nothing. */
export function isSameAmount(one: bigint | null, other: bigint | null): boolean {
  return one !== null && one === other;
}

/** Of a column that the schema keeps whole. */
export function sumOf(rows: readonly Row[], column = 'amount'): bigint {
  return rows.reduce((total, row) => total + (minor(row[column]) ?? 0n), 0n);
}

function whole(text: string): bigint | null {
  return /^-?(0|[1-9]\d*)$/.test(text) ? BigInt(text) : null;
}
