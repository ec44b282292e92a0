import { describe, expect, it } from 'vitest';
import { cellsOf, instantOf, minorUnits } from './parse-cells.js';

describe('cells', () => {
  it.each<[string, ReturnType<typeof cellsOf>]>([
    ['a,b,c', ['a', 'b', 'c']],
    ['a,,', ['a', '', '']],
    [' a\t,  b , "c" ', ['a', 'b', 'c']],
    ['"a,b",c', ['a,b', 'c']],
    ['"a ""b""",c', ['a "b"', 'c']],
    ['"a\nb",c', ['a\nb', 'c']],
    ['"",', ['', '']],
    ['a,"b', 'open'],
    ['"a""', 'open'],
    ['a,"b"c', null],
    ['a"b,c', null],
  ])('%j', (record, cells) => {
    expect(cellsOf(record)).toEqual(cells);
  });
});

describe('amounts', () => {
  it.each([
    ['25.00', 'myr', 2500],
    ['-0.01', 'usd', -1],
    ['0.00', 'usd', 0],
    ['-0.00', 'usd', 0],
    ['2500', 'jpy', 2500],
    ['2.500', 'kwd', 2500],
    ['1,234,567.89', 'myr', 123456789],
    ['-1,234', 'jpy', -1234],
  ])('%s in %s is %i', (text, currency, amount) => {
    expect(minorUnits(text, currency)).toBe(amount);
  });

  it.each([
    ['25.0', 'myr'],
    ['25', 'myr'],
    ['25.001', 'myr'],
    ['2500.00', 'jpy'],
    ['12,34.00', 'myr'],
    ['1,2345.00', 'myr'],
    [',123.00', 'myr'],
    ['+1.00', 'myr'],
    ['1e3', 'jpy'],
    ['0x10', 'jpy'],
    ['(1.00)', 'myr'],
    ['', 'myr'],
    ['99999999999999999.00', 'myr'],
    ['25.00', 'zzz'],
  ])('%s in %s is none', (text, currency) => {
    expect(minorUnits(text, currency)).toBeNull();
  });
});

describe('instants', () => {
  it.each([
    ['2026-01-31 23:59:59', '2026-01-31T23:59:59.000Z'],
    ['2026-02-01T07:59:59+08:00', '2026-01-31T23:59:59.000Z'],
    ['2026-01-31T23:59:59Z', '2026-01-31T23:59:59.000Z'],
    ['2026-01-31 18:59:59.5-05:00', '2026-01-31T23:59:59.500Z'],
  ])('%s', (text, instant) => {
    expect(instantOf(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '2026-02-30 00:00:00',
    '2026-01-31',
    'yesterday',
    '31/01/2026 10:00:00',
    '',
    '2026-01-31 25:00:00',
  ])('%j is none', (text) => {
    expect(instantOf(text)).toBeNull();
  });
});
