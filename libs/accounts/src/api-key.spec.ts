import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemRandom, type Random } from '#seams/random.js';
import { displayPrefix, hashApiKey, mintApiKey, parseApiKey } from './api-key.js';

const ALPHABET = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
// The checksum was computed apart from this code; keys that people hold depend on it.
const FIXED = 'po_test_0123456789ABCDEFGHIJKLMNOPQRSTUV0HOhnf';

function randomFrom(...chunks: number[][]): Random {
  return { ...systemRandom, bytes: () => Buffer.from(chunks.shift() ?? [0]) };
}

describe('an API key', () => {
  it('names its mode, has 32 random characters and a checksum of 6', () => {
    for (const mode of ['test', 'live'] as const) {
      const key = mintApiKey(systemRandom, mode);
      expect(key).toMatch(new RegExp(`^po_${mode}_[0-9A-Za-z]{38}$`));
      expect(parseApiKey(key)).toEqual({ mode });
    }
  });

  it('keeps its format: old keys stay valid', () => {
    expect(parseApiKey(FIXED)).toEqual({ mode: 'test' });
    const bytes = Array.from({ length: 32 }, (_, index) => index);
    expect(mintApiKey(randomFrom(bytes), 'test')).toBe(FIXED);
  });

  it('uses every character equally often: bytes past the last multiple of 62 are thrown away', () => {
    const rejected = [248, 249, 250, 251, 252, 253, 254, 255];
    const accepted = Array.from({ length: 40 }, (_, index) => (index * 62) % 248);
    expect(mintApiKey(randomFrom(rejected, rejected, accepted), 'test')).toMatch(/^po_test_0{32}/);

    const everyByte = Array.from({ length: 256 }, (_, byte) => byte);
    const counts = new Map<string, number>();
    for (const byte of everyByte.slice(0, 248)) {
      const first = mintApiKey(randomFrom([byte], Array(31).fill(0)), 'test').charAt(8);
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(ALPHABET.toSorted());
    expect(new Set(counts.values())).toEqual(new Set([4]));
  });

  it('is never minted twice', () => {
    const keys = new Set(Array.from({ length: 1000 }, () => mintApiKey(systemRandom, 'live')));
    expect(keys.size).toBe(1000);
  });

  it.each([
    '',
    'po_test_',
    FIXED.slice(0, -1),
    `${FIXED}0`,
    ` ${FIXED}`,
    `${FIXED} `,
    `${FIXED}\n`,
    `Bearer ${FIXED}`,
    FIXED.toUpperCase(),
    FIXED.replace('test', 'live'),
    FIXED.replace('po_', 'sk_'),
    FIXED.replace('test', 'prod'),
    FIXED.replace(/.$/, '-'),
    FIXED.replace(/.$/, 'é'),
  ])('is not %j', (text) => {
    expect(parseApiKey(text)).toBeNull();
  });

  it('with any one character changed is refused', () => {
    fc.assert(
      fc.property(fc.nat(FIXED.length - 1), fc.constantFrom(...ALPHABET), (at, character) => {
        fc.pre(FIXED.charAt(at) !== character);
        expect(parseApiKey(FIXED.slice(0, at) + character + FIXED.slice(at + 1))).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  it('is stored as its sha256, and shown by its first characters only', () => {
    expect(hashApiKey(FIXED)).toEqual(createHash('sha256').update(FIXED).digest());
    expect(hashApiKey(FIXED)).toHaveLength(32);
    expect(displayPrefix(FIXED)).toBe('po_test_0123');
  });
});
