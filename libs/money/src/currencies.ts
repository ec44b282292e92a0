import { data } from 'currency-codes';

/**
 * How many decimals the major unit of a currency has: 2 for `myr`, 0 for `jpy`, 3 for `kwd`.
 * Undefined for anything that is not a lower-case ISO 4217 code of money that people can pay with.
 */
export function exponentOf(currency: string): number | undefined {
  return EXPONENTS.get(currency);
}

export function isCurrency(value: unknown): value is string {
  return typeof value === 'string' && EXPONENTS.has(value);
}

export function currencies(): string[] {
  return [...EXPONENTS.keys()];
}

/**
 * ISO 4217 also lists what nobody can be charged in: metals, units of account between institutions,
 * index and fund units of national banks, and the codes for tests and for no currency at all.
 */
const NOT_MONEY = new Set(
  [
    'XAG XAU XPD XPT', // metals, which have no minor unit
    'XBA XBB XBC XBD XDR XSU XUA', // units of account between institutions
    'BOV CHE CHW CLF COU MXV USN UYI UYW', // funds and index units
    'XTS XXX', // tests, no currency
  ].flatMap((codes) => codes.split(' ')),
);

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  data
    .filter(({ code }) => !NOT_MONEY.has(code))
    .map(({ code, digits }) => [code.toLowerCase(), digits]),
);
