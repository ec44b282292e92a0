import { formatMajor } from '#money/money.js';
import { seededNumbers } from '../seeded.js';
import type { Form, Row } from './form.js';
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

/** Prints one report from its first row to its last, with the noise of its form. */
export class Printer {
  readonly #end: string;
  readonly #beginning: string;
  readonly #instant: (ms: number) => string;
  readonly #amount: (amount: number, currency: string) => string;
  readonly #spaced: (cell: string) => string;

  constructor({ noise, seed }: Form) {
    this.#end = noise.includes('crlf') ? '\r\n' : '\n';
    this.#beginning = noise.includes('bom') ? '\uFEFF' : '';
    this.#instant = noise.includes('time_zone') ? inKualaLumpur : utc;
    this.#amount = noise.includes('thousands') ? withSeparators : formatMajor;
    const next = seededNumbers(seed);
    this.#spaced = noise.includes('spacing') ? (cell) => spaced(cell, next()) : (cell) => cell;
  }

  header(): string {
    return `${this.#beginning}${COLUMNS.join(',')}${this.#end}`;
  }

  row(row: Row): string {
    if (typeof row === 'string') return row + this.#end;
    const cells = this.#cells(row).map((cell) => quoted(this.#spaced(cell)));
    return cells.join(',') + this.#end;
  }

  #cells(line: Line): string[] {
    const { currency, gross, fee } = line;
    return [
      line.transactionId,
      this.#instant(line.createdMs),
      this.#instant(line.availableMs),
      currency,
      this.#amount(gross, currency),
      this.#amount(fee, currency),
      this.#amount(gross - fee, currency),
      line.category,
      line.sourceId,
      line.chargeId,
      line.intentId,
      line.payoutId,
      line.account,
      line.intent,
    ];
  }
}

/** To the second: `2026-01-31 23:59:59`. */
function utc(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

const EIGHT_HOURS_MS = 8 * 3_600_000;

/** The same instant by another clock, often on another date: `2026-02-01T07:59:59+08:00`. */
function inKualaLumpur(ms: number): string {
  return `${new Date(ms + EIGHT_HOURS_MS).toISOString().slice(0, 19)}+08:00`;
}

/** `1,234,567.00` */
function withSeparators(amount: number, currency: string): string {
  return formatMajor(amount, currency).replace(/\d(?=(\d{3})+(\.|$))/g, '$&,');
}

/** None to two spaces or tabs on each side. */
function spaced(cell: string, random: number): string {
  const space = (number: number) => [' ', '', '\t', '  ', ''][number % 5] ?? '';
  return `${space(random)}${cell}${space(random >>> 8)}`;
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
