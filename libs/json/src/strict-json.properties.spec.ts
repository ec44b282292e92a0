import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonProblem, parseStrictJson } from './strict-json.js';

describe('against JSON.parse', () => {
  const json = fc
    .jsonValue({ maxDepth: 6 })
    .filter((value) => !JSON.stringify(value).includes('__proto__'));

  it('reads everything that JSON.stringify writes, as JSON.parse reads it', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!text.includes('\\u0000') && !/\\ud[89a-f]/.test(text));
        // JSON.stringify writes -0 as 0, so both sides have one zero only.
        expect(read(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('accepts nothing that JSON.parse refuses, and reads the same value, on damaged text', () => {
    const damaged = fc
      .tuple(
        json,
        fc.nat(),
        fc.constantFrom(...Array.from('{}[]",:\\0eE+-.u1 \ntrue/x\u0000')),
        fc.nat(2),
      )
      .map(([value, place, character, cut]) => {
        const text = JSON.stringify(value, null, 1);
        const at = place % (text.length + 1);
        return text.slice(0, at) + character + text.slice(at + cut);
      });
    let accepted = 0;
    fc.assert(
      fc.property(damaged, (text) => {
        if (refusal(text) !== 'accepted') return;
        accepted += 1;
        expect(read(text)).toEqual(withoutNegativeZero(JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it('refuses what JSON.parse accepts only for a reason on the list', () => {
    const soup = fc
      .array(
        fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          ':',
          ',',
          '"a"',
          '"\\u0061"',
          '"b"',
          '1',
          '-0.5',
          'null',
          ' ',
        ),
        { maxLength: 12 },
      )
      .map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(soup, (text) => {
        // What is said of a text is the first that is wrong with it: a member that came twice may stand before the rest.
        const allowed = [isJson(text) ? 'accepted' : 'malformed_json', 'duplicate_member'];
        expect(allowed).toContain(refusal(text));
      }),
      { numRuns: 5000, examples: [['{"a":1,"\\u0061"'], ['{"a":1,"\\u0061":1}']] },
    );
  });

  it('never fails with anything but a JsonProblem, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (input) => {
        expect(refusal(input)).toBeTypeOf('string');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('numbers', () => {
  it('keeps every double in its shortest form', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(read(JSON.stringify(value))).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps an integer only if it is printed as it was written', () => {
    // Below 10^21 a number is printed with all its digits.
    const integer = fc
      .bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
      .filter((value) => value !== 0n);
    fc.assert(
      fc.property(fc.oneof(integer, fc.maxSafeNat().map(BigInt)), (value) => {
        const text = value.toString();
        const kept = String(Number(text)) === text;
        expect(refusal(text)).toBe(kept ? 'accepted' : 'malformed_json');
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses any decimal that differs from a double by a digit far behind', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999_999 }),
        fc.integer({ min: 17, max: 300 }),
        (amount, zeros) => {
          expect(refusal(`${amount}.${'0'.repeat(zeros)}`)).toBe('accepted');
          expect(refusal(`${amount}.${'0'.repeat(zeros)}1`)).toBe('malformed_json');
        },
      ),
    );
  });
});

describe('cost', () => {
  it.each([
    ['zeros behind the point', `0.${'0'.repeat(1_000_000)}1`],
    ['digits', '1'.repeat(1_000_000)],
    ['escapes', `"${'\\n'.repeat(500_000)}"`],
    ['quotes inside', `"${'\\"'.repeat(500_000)}"`],
    ['blanks', `${' '.repeat(1_000_000)}1`],
    ['members', `{${Array.from({ length: 60_000 }, (_, index) => `"m${index}":1`).join()}}`],
    [
      'numbered members',
      `{${Array.from({ length: 60_000 }, (_, index) => `"${index * 65_521}":1`).join()}}`,
    ],
    ['items', `[${'1,'.repeat(500_000)}1]`],
  ])('stays linear for a megabyte of %s', (_, text) => {
    const before = process.cpuUsage();
    refusal(text);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(1000);
  });
});

function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** What the parser made of it: its code, or nothing if it was accepted. */
function refusal(input: string | Uint8Array): string {
  try {
    parseStrictJson(typeof input === 'string' ? Buffer.from(input) : input);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return error.code;
  }
}

function read(text: string): unknown {
  return parseStrictJson(Buffer.from(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
