import type { StatementLine } from './read-statement.js';

const COLUMNS = [
  'recorded_at',
  'effective_at',
  'id',
  'entry_kind',
  'payment_id',
  'source_id',
  'order_id',
  'counterpart',
  'currency',
  'debit',
  'credit',
  'balance',
] as const satisfies readonly (keyof StatementLine)[];

/** A statement as a file for a spreadsheet (RFC 4180), with a head. */
export function statementCsv(lines: readonly StatementLine[]): string {
  const rows = lines.map((line) => COLUMNS.map((column) => cell(line[column] ?? '')));
  return [COLUMNS, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/**
 * A spreadsheet computes what looks like a formula, and an order's id is anybody's text: an apostrophe makes it text
 * again. A number is one, whatever its sign.
 */
function cell(text: string): string {
  const isFormula = /^[\s'"]*[=+\-@]|^[\t\r\n]/u.test(text) && !/^-?\d+$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
