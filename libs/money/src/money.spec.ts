import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencies } from './currencies.js';
import { AMOUNT_MAX, AMOUNT_MIN, formatMajor, isAmount, sumAmounts } from './money.js';

describe('isAmount', () => {
  it.each([AMOUNT_MIN, 2500, AMOUNT_MAX])('takes %d', (amount) => {
    expect(isAmount(amount)).toBe(true);
  });

  it.each<unknown>([
    0,
    -1,
    0.5,
    2500.5,
    99_999_998.5,
    100_000_000,
    2 ** 53,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    '2500',
    true,
    null,
    undefined,
    2500n,
    new Set([2500]),
    {},
    { valueOf: () => 2500 },
  ])('refuses %s, without converting it', (value) => {
    expect(isAmount(value)).toBe(false);
  });

  it('has the limits of the contract', () => {
    expect([AMOUNT_MIN, AMOUNT_MAX]).toEqual([1, 99_999_999]);
  });
});

describe('formatMajor', () => {
  it.each([
    [2500, 'myr', '25.00'],
    [2500, 'jpy', '2500'],
    [2500, 'kwd', '2.500'],
    [1, 'usd', '0.01'],
    [1, 'kwd', '0.001'],
    [0, 'usd', '0.00'],
    [0, 'jpy', '0'],
    [-1, 'usd', '-0.01'],
    [-2500, 'kwd', '-2.500'],
    [-7, 'jpy', '-7'],
    [9007199254740993n, 'usd', '90071992547409.93'],
  ])('%s %s is %s', (amount, currency, expected) => {
    expect(formatMajor(amount, currency)).toBe(expected);
  });

  it('loses nothing in any currency: the digits are those of the amount', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.constantFrom(...currencies()), (amount, currency) => {
        const text = formatMajor(amount, currency);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
        expect(BigInt(text.replace('.', ''))).toBe(amount);
      }),
    );
  });

  it.each([
    [2500, 'xxx'],
    [2500, 'MYR'],
    [25.5, 'myr'],
    [2 ** 53, 'myr'],
    [Number.NaN, 'myr'],
  ])('%s %s is a bug', (amount, currency) => {
    expect(() => formatMajor(amount, currency)).toThrow(/Bug/);
  });
});

describe('sumAmounts', () => {
  it('is exact beyond 2^53, over what the database and the wire bring', () => {
    expect(sumAmounts([])).toBe('0');
    expect(sumAmounts([9007199254740991, 2n, '1', -1])).toBe('9007199254740993');
    expect(sumAmounts(['-5', 5])).toBe('0');
  });

  it('does not depend on the order', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt()), (amounts) => {
        expect(sumAmounts(amounts.toReversed())).toBe(sumAmounts(amounts.map(String)));
      }),
    );
  });

  it.each([2 ** 53, 0.1, Number.NaN, '1.5', '', ' 1', '0x10', '1e3'])('%s is a bug', (amount) => {
    expect(() => sumAmounts([1, amount])).toThrow(/Bug/);
  });
});
