import { formatMajor } from '#money/money.js';
import type { Line } from './lines.js';

/** The columns of Stripe's itemised reports of balance changes, by their names there. */
export const COLUMNS = [
  'balance_transaction_id',
  'created_utc',
  'available_on_utc',
  'currency',
  'gross',
  'fee',
  'net',
  'reporting_category',
  'source_id',
  'charge_id',
  'payment_intent_id',
  'automatic_payout_id',
  'payment_metadata[payonce_account]',
  'payment_metadata[payonce_intent]',
];

export function printHeader(): string {
  return COLUMNS.join(',');
}

/** A line without its end. */
export function printLine(line: Line): string {
  const { currency, gross, fee } = line;
  return [
    line.transactionId,
    instant(line.createdMs),
    instant(line.availableMs),
    currency,
    formatMajor(gross, currency),
    formatMajor(fee, currency),
    formatMajor(gross - fee, currency),
    line.category,
    line.sourceId,
    line.chargeId,
    line.intentId,
    line.payoutId,
    line.account,
    line.intent,
  ]
    .map(quoted)
    .join(',');
}

/** UTC, to the second: `2026-01-31 23:59:59`. */
function instant(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
