import { formatMajor } from '#money/money.js';
import { exponentOf } from '#money/currencies.js';
import type { ReportBreakRow } from './breaks.sql.js';

/** Each kind of break as a heading for people. */
export const KIND_IN_WORDS: Record<string, string> = {
  missing_here: 'In the report, and not in our books',
  missing_there: 'In our books, and not in the report',
  amount: 'The amounts differ',
  currency: 'The currencies differ',
  status: 'Charged there, and not paid here',
  duplicate: 'Charged twice',
  fee: 'The fees differ',
  refund: 'Refunds that differ or stand on one side',
  timing: 'Reported of another day',
  payout_sum: 'A payout is not the sum of its lines',
};

/** `25.00 MYR, at 2026-01-31T10:00:00Z`; a dash for nothing. */
export function sideInWords(side: object | null): string {
  if (side === null) return '—';
  const { amount, currency, ...more } = side as Record<string, unknown>;
  const words = Object.entries(more).map(([name, value]) => `${name} ${textOf(value)}`);
  return [...moneyInWords(amount, currency), ...words].join(', ');
}

export function amountInWords({ amount, currency }: ReportBreakRow): string {
  return moneyInWords(amount, currency).join('') || '—';
}

function moneyInWords(amount: unknown, currency: unknown): string[] {
  if (typeof amount !== 'string' || typeof currency !== 'string') return [];
  if (exponentOf(currency) === undefined || !/^-?\d+$/.test(amount))
    return [`${amount} ${currency}`];
  return [`${formatMajor(BigInt(amount), currency)} ${currency.toUpperCase()}`];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
