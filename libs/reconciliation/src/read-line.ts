import { isCurrency } from '#money/currencies.js';
import { instantOf, minorUnits } from './parse-cells.js';

/** The columns that are read, by the names that Stripe's itemised reports give them. Others may stand beside them. */
export const COLUMNS = {
  transactionId: 'balance_transaction_id',
  created: 'created_utc',
  currency: 'currency',
  gross: 'gross',
  fee: 'fee',
  net: 'net',
  category: 'reporting_category',
  sourceId: 'source_id',
  paymentRef: 'payment_intent_id',
  payoutId: 'automatic_payout_id',
  accountRef: 'payment_metadata[payonce_account]',
  intentRef: 'payment_metadata[payonce_intent]',
} as const;
export type Column = keyof typeof COLUMNS;

/** Where each column stands, and how many cells a record has. */
export type Header = { at: Record<Column, number>; cells: number };

/** A line of a report, as it was read. Amounts are minor units. */
export type ReportLine = {
  transactionId: string;
  createdAt: Date;
  currency: string;
  gross: number;
  fee: number;
  category: string;
  sourceId: string;
  paymentRef: string | null;
  payoutId: string | null;
  accountRef: string | null;
  intentRef: string | null;
};

/** Where the columns stand; or the name of one that is not there, or is there twice. */
export function readHeader(cells: readonly string[]): Header | { missing: string } {
  const at: Partial<Record<Column, number>> = {};
  for (const [column, name] of Object.entries(COLUMNS) as [Column, string][]) {
    const found = cells.indexOf(name);
    if (found === -1 || cells.lastIndexOf(name) !== found) return { missing: name };
    at[column] = found;
  }
  return { at: at as Record<Column, number>, cells: cells.length };
}

/** A record as a line; or a sentence that says why it is none. */
export function readLine(
  cells: readonly string[],
  { at, cells: count }: Header,
): ReportLine | string {
  if (cells.length !== count) return `it has ${cells.length} cells, and the header ${count}`;
  const cell = (column: Column) => cells[at[column]] ?? '';
  const createdAt = instantOf(cell('created'));
  if (createdAt === null) return 'created_utc is no time';
  const currency = cell('currency').toLowerCase();
  if (!isCurrency(currency)) return 'currency is no currency';
  const gross = minorUnits(cell('gross'), currency);
  if (gross === null) return 'gross is no amount in its currency';
  const fee = minorUnits(cell('fee'), currency);
  if (fee === null) return 'fee is no amount in its currency';
  const net = minorUnits(cell('net'), currency);
  if (net === null) return 'net is no amount in its currency';
  if (net !== gross - fee) return 'net is not gross less fee';
  const transactionId = cell('transactionId');
  if (!ID.test(transactionId)) return 'balance_transaction_id is no identifier';
  const sourceId = cell('sourceId');
  if (!ID.test(sourceId)) return 'source_id is no identifier';
  const category = cell('category');
  if (!WORD.test(category)) return 'reporting_category is no word';
  const paymentRef = cell('paymentRef');
  if (paymentRef !== '' && !ID.test(paymentRef)) return 'payment_intent_id is no identifier';
  const payoutId = cell('payoutId');
  if (payoutId !== '' && !ID.test(payoutId)) return 'automatic_payout_id is no identifier';
  return {
    transactionId,
    createdAt,
    currency,
    gross,
    fee,
    category,
    sourceId,
    paymentRef: paymentRef || null,
    payoutId: payoutId || null,
    accountRef: uuidOrNull(cell('accountRef')),
    intentRef: uuidOrNull(cell('intentRef')),
  };
}

/** Visible ASCII, as identifiers are. */
const ID = /^[!-~]{1,255}$/;
const WORD = /^[a-z][a-z0-9_]{0,99}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whoever else charges there may have references of another form: they are not ours. */
function uuidOrNull(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}
