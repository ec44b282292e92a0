import type { FileRecord } from './read-records.js';
import type { ReportLine } from './read-line.js';

/** One row of `report_lines` in PostgreSQL's text format; its columns stand in COPY_LINES. */
export function copyRow(
  importId: string,
  { line, raw }: FileRecord,
  read: ReportLine | string,
): string {
  const begin = `${importId}\t${line}\t${escaped(raw)}`;
  if (typeof read === 'string') return `${begin}\t${escaped(read)}${NOTHING_READ}\n`;
  const { transactionId, createdAt, currency, gross, fee, category, sourceId } = read;
  const { paymentRef, payoutId, accountRef, intentRef } = read;
  const told = `\\N\t${escaped(transactionId)}\t${createdAt.toISOString()}\t${currency}\t${gross}\t${fee}`;
  const about = `${category}\t${escaped(sourceId)}\t${orNull(paymentRef)}\t${orNull(payoutId)}`;
  return `${begin}\t${told}\t${about}\t${accountRef ?? NULL}\t${intentRef ?? NULL}\n`;
}

const NULL = '\\N';
/** Transaction, instant, currency, gross, fee, category, source, payment, payout, account and intent. */
const NOTHING_READ = `\t${NULL}`.repeat(11);

function orNull(text: string | null): string {
  return text === null ? NULL : escaped(text);
}

function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (found) => ESCAPES[found] ?? '') : text;
}

const SPECIAL = /[\\\t\n\r]/;
const EACH_SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
