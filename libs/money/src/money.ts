import { exponentOf } from './currencies.js';

/**
 * Money is a whole number of minor units. A payment's amount is a safe integer; sums are bigint and
 * leave as decimal text, since they may pass 2^53.
 */
export const AMOUNT_MIN = 1;

/** Stripe's limit: eight digits, far inside a safe integer. */
export const AMOUNT_MAX = 99_999_999;

/** No coercion: `"2500"`, `true` and `2500.5` are no amounts. */
export function isAmount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= AMOUNT_MIN && Number(value) <= AMOUNT_MAX;
}

/** In major units with all decimals of the currency: 2500 is `25.00` in myr, `2500` in jpy, `2.500` in kwd. */
export function formatMajor(amount: number | bigint, currency: string): string {
  const exponent = exponentOf(currency);
  if (exponent === undefined) throw new Error(`Bug: ${currency} is not a currency.`);
  const minor = exact(amount);
  const digits = (minor < 0n ? -minor : minor).toString().padStart(exponent + 1, '0');
  const sign = minor < 0n ? '-' : '';
  if (exponent === 0) return sign + digits;
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** The exact sum as decimal text. Rows of the database arrive as text, amounts as numbers. */
export function sumAmounts(amounts: Iterable<number | bigint | string>): string {
  let total = 0n;
  for (const amount of amounts) total += exact(amount);
  return total.toString();
}

/** Refuses what has already lost money on its way here, instead of adding the rounded value. */
function exact(amount: number | bigint | string): bigint {
  if (typeof amount === 'bigint') return amount;
  if (typeof amount === 'number' && Number.isSafeInteger(amount)) return BigInt(amount);
  if (typeof amount === 'string' && /^-?\d+$/.test(amount)) return BigInt(amount);
  throw new Error(`Bug: ${amount} is not a whole number of minor units.`);
}
