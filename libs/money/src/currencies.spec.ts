import { describe, expect, it } from 'vitest';
import { currencies, exponentOf, isCurrency } from './currencies.js';

describe('currencies', () => {
  it.each([
    ['myr', 2],
    ['usd', 2],
    ['eur', 2],
    ['jpy', 0],
    ['krw', 0],
    ['clp', 0],
    ['isk', 0],
    ['xof', 0],
    ['xaf', 0],
    ['xpf', 0],
    ['xcd', 2],
    ['kwd', 3],
    ['bhd', 3],
    ['tnd', 3],
    ['omr', 3],
    ['jod', 3],
  ])('%s has %i decimals', (currency, exponent) => {
    expect(exponentOf(currency)).toBe(exponent);
    expect(isCurrency(currency)).toBe(true);
  });

  it.each(
    [
      'xau xag xpt xpd xdr xua xsu xba xbb xbc xbd xts xxx'.split(' '),
      'clf che chw cou bov mxv usn uyi uyw'.split(' '),
      ['USD', 'Usd', 'us', 'usdd', 'abc', '', ' usd', 'usd ', 'constructor', '__proto__'],
    ].flat(),
  )('%j is no money', (currency) => {
    expect(exponentOf(currency)).toBeUndefined();
    expect(isCurrency(currency)).toBe(false);
  });

  it.each([undefined, null, 840, ['usd'], { toString: () => 'usd' }])(
    '%s is no currency, without converting it',
    (value) => {
      expect(isCurrency(value)).toBe(false);
    },
  );

  it('are some 150, each lower case, with at most four decimals', () => {
    expect(currencies().length).toBeGreaterThan(150);
    for (const currency of currencies()) {
      expect(currency).toMatch(/^[a-z]{3}$/);
      expect([0, 2, 3, 4]).toContain(exponentOf(currency));
    }
  });
});
