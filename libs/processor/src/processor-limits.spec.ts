import { describe, expect, it } from 'vitest';

import { checkRepresentable, exponentAt } from './processor-limits.js';

describe('what the processor can carry', () => {
  it.each([
    ['myr', 1],
    ['usd', 99_999_999],
    ['jpy', 1],
    ['mga', 501],
    ['huf', 101],
    ['twd', 101],
    ['kwd', 2510],
    ['isk', 2500],
    ['ugx', 100],
  ])('%s %i', (currency, amount) => {
    for (const processor of ['stripe', 'mock']) {
      expect(checkRepresentable(processor, amount, currency)).toBeNull();
    }
  });

  it.each([
    ['kwd', 2511, 'end in 0'],
    ['bhd', 5, 'end in 0'],
    ['isk', 2550, 'end in 00'],
    ['ugx', 10, 'end in 00'],
    ['usd', 0, '1 to 99999999'],
    ['usd', 100_000_000, '1 to 99999999'],
    ['usd', 2500.5, '1 to 99999999'],
    ['xxx', 2500, 'not a currency'],
    ['MYR', 2500, 'not a currency'],
  ])('not %s %d', (currency, amount, reason) => {
    for (const processor of ['stripe', 'mock']) {
      expect(checkRepresentable(processor, amount, currency)?.reason).toContain(reason);
    }
  });

  it('is counted in the decimals of the processor', () => {
    expect(exponentAt('stripe', 'isk')).toBe(2);
    expect(exponentAt('mock', 'mga')).toBe(0);
    expect(exponentAt('stripe', 'jpy')).toBe(0);
    expect(exponentAt('stripe', 'kwd')).toBe(3);
    expect(exponentAt('stripe', 'myr')).toBe(2);
    expect(exponentAt('stripe', 'xxx')).toBeUndefined();
  });
});
