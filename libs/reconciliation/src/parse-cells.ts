import { exponentOf } from '#money/currencies.js';

/**
 * The cells of one record, as RFC 4180 writes them: cells in quotes may hold commas, line ends and doubled quotes.
 * `open`: a quote has not been closed, so that the record goes on in the next line. Null: no CSV.
 */
export function cellsOf(record: string): string[] | 'open' | null {
  if (!record.includes('"')) return record.split(',').map((cell) => cell.trim());
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const start = skipSpace(record, at);
    if (record[start] === '"') {
      const end = closingQuote(record, start + 1);
      if (end === -1) return 'open';
      cells.push(
        record
          .slice(start + 1, end)
          .replaceAll('""', '"')
          .trim(),
      );
      at = skipSpace(record, end + 1);
      if (at < record.length && record[at] !== ',') return null;
    } else {
      const comma = record.indexOf(',', start);
      const end = comma === -1 ? record.length : comma;
      const cell = record.slice(start, end);
      if (cell.includes('"')) return null;
      cells.push(cell.trim());
      at = end;
    }
    if (at >= record.length) return cells;
    at += 1;
    if (at === record.length) return [...cells, ''];
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/**
 * An amount in major units, with all decimals of its currency: `-1,234.50` is -123450 in myr. Never rounded: null
 * where it is no such number, has other decimals, or separators at other places.
 */
export function minorUnits(text: string, currency: string): number | null {
  const exponent = exponentOf(currency);
  if (exponent === undefined) return null;
  const parts = (text.includes(',') ? SEPARATED : PLAIN).exec(text);
  if (!parts) return null;
  const [, sign = '', whole = '', decimals = ''] = parts;
  if (decimals.length !== exponent) return null;
  const digits = (text.includes(',') ? whole.replaceAll(',', '') : whole) + decimals;
  const amount = Number(sign + digits);
  return Number.isSafeInteger(amount) ? amount + 0 : null;
}

const PLAIN = /^(-?)(\d{1,16})(?:\.(\d+))?$/;
const SEPARATED = /^(-?)(\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/;

/**
 * An instant: `2026-01-31 23:59:59` is UTC; an offset or Z may follow, and T may stand for the space. Null for any
 * other text, and for days that do not exist.
 */
export function instantOf(text: string): Date | null {
  const parts = INSTANT.exec(text);
  if (!parts) return null;
  const [, day = '', time = '', zone = ''] = parts;
  const local = new Date(`${day}T${time}Z`);
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 10) !== day) return null;
  if (zone === '' || zone === 'Z') return local;
  const instant = new Date(`${day}T${time}${zone}`);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

const INSTANT = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,6})?) ?(Z|[+-]\d\d:\d\d)?$/;
