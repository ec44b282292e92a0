import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveProcessorKey, hashKey } from './processor-key.js';

describe('deriveProcessorKey', () => {
  // Computed apart from this code. A change here would charge every open intent a second time.
  it.each([
    [
      '01993b5e-7d20-7a61-9c0e-2f4b8d1e6a35',
      'charge',
      'order-1042-a',
      '19f1b992-786f-8acb-9de7-f9dad18b7134',
    ],
    [
      '01993b5e-7d20-7a61-9c0e-2f4b8d1e6a35',
      'refund',
      'order-1042-a',
      'ce2d1346-27b9-8ad2-afd0-1798f8248217',
    ],
    [
      '01993b5e-7d20-7a61-9c0e-2f4b8d1e6a36',
      'charge',
      'order-1042-a',
      '8bffb636-cb93-8a9f-b084-4d9099eec7f2',
    ],
    ['', '', '', '0a619177-a538-8638-95d2-a4d93a33c40c'],
    ['a', 'charge', '~'.repeat(255), '00504161-23a7-88ad-ae1d-a3266f6370a3'],
  ])('%s %s %s', (accountId, operation, key, expected) => {
    expect(deriveProcessorKey(accountId, operation, key)).toBe(expected);
  });

  it('is a version 8 UUID', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (accountId, operation, key) => {
        expect(deriveProcessorKey(accountId, operation, key)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  it('is another one for every other triple, wherever one part ends', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\n', '/') });
    const triple = fc.tuple(part, part, part);
    fc.assert(
      fc.property(triple, triple, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(deriveProcessorKey(...one) === deriveProcessorKey(...other)).toBe(same);
      }),
      { numRuns: 2000 },
    );
    expect(deriveProcessorKey('ab', 'c', 'd')).not.toBe(deriveProcessorKey('a', 'bc', 'd'));
    expect(deriveProcessorKey('a', 'bc', 'd')).not.toBe(deriveProcessorKey('a', 'b', 'cd'));
  });
});

describe('hashKey', () => {
  it('is the sha256 of the key, and tells its case', () => {
    expect(hashKey('order-1042-a').toString('hex')).toBe(
      '40c1681c5851faafeeb06e5778ad2b4adbbf4910716502edb803fdadfcc6491d',
    );
    expect(hashKey('K1').equals(hashKey('k1'))).toBe(false);
  });
});
