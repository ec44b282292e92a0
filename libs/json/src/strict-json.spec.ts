import { describe, expect, it } from 'vitest';
import { DEPTH_MAX, JsonProblem, parseStrictJson } from './strict-json.js';

const bytes = (text: string) => Buffer.from(text, 'utf8');
const read = (text: string) => parseStrictJson(bytes(text));

/** What the parser made of it: `code @ param`, or nothing if it was accepted. */
function refusal(input: string | Uint8Array): string {
  try {
    parseStrictJson(typeof input === 'string' ? bytes(input) : input);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return error.param === null ? error.code : `${error.code} @ ${error.param}`;
  }
}

describe('accepted', () => {
  it.each([
    ['{"amount": 2500}', { amount: 2500 }],
    ['{"amount": 2500.0}', { amount: 2500 }],
    ['{"amount": 2.5e3}', { amount: 2500 }],
    ['{"amount": 250000E-2}', { amount: 2500 }],
    ['1e-3', 0.001],
    ['25E-1', 2.5],
    ['-0', 0],
    ['-0.0e7', 0],
    ['0e99999999999', 0],
    ['0.1', 0.1],
    ['0.30000000000000004', 0.30000000000000004],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', 1.7976931348623157e308],
    [`1${'0'.repeat(400)}e-400`, 1],
    ['"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\"', 'A/\b\f\n\r\t"\\'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"😀 é e\u0301 \u007f \u2028"', '😀 é e\u0301 \u007f \u2028'],
    [' \t\r\n[ 1 , [ ] , { } , "" ] \n', [1, [], {}, '']],
    ['{"":1," ":2}', { '': 1, ' ': 2 }],
    ['{"constructor":1,"toString":2,"hasOwnProperty":3,"toJSON":4,"then":5}', expect.anything()],
    ['[{"a":1},{"a":1}]', [{ a: 1 }, { a: 1 }]],
    ['{"a":{"a":{"a":1}}}', { a: { a: { a: 1 } } }],
    ['{"10":1,"9":2}', { 9: 2, 10: 1 }],
  ])('%s', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it('keeps names of the prototype as plain members', () => {
    const value = read('{"constructor":1,"toString":2}') as object;
    expect(Object.entries(value)).toEqual([
      ['constructor', 1],
      ['toString', 2],
    ]);
  });

  it('reads -0 as the number 0, as RFC 8785 writes it', () => {
    expect(Object.is(read('-0'), 0)).toBe(true);
    expect(Object.is(read('-0.00e-5'), 0)).toBe(true);
  });

  it('reads a view into a larger buffer, and a bare Uint8Array', () => {
    const large = bytes('garbage{"a":1}garbage');
    expect(parseStrictJson(large.subarray(7, 14))).toEqual({ a: 1 });
    expect(parseStrictJson(new TextEncoder().encode('[true,false,null]'))).toEqual([
      true,
      false,
      null,
    ]);
  });
});

describe('malformed_json', () => {
  it.each([
    ['', 'malformed_json'],
    ['  \n', 'malformed_json'],
    ['{} x', 'malformed_json'],
    ['{}{}', 'malformed_json'],
    ['{"a":1,}', 'malformed_json'],
    ['[1,]', 'malformed_json @ 1'],
    ['[,1]', 'malformed_json @ 0'],
    ['{,}', 'malformed_json'],
    ['{"a" 1}', 'malformed_json @ a'],
    ['{"a":}', 'malformed_json @ a'],
    ['{a:1}', 'malformed_json'],
    ["{'a':1}", 'malformed_json'],
    ['{1:1}', 'malformed_json'],
    ['[1 2]', 'malformed_json @ 0'],
    ['[1', 'malformed_json @ 0'],
    ['{"a":1', 'malformed_json @ a'],
    ['"abc', 'malformed_json'],
    ['"abc\\', 'malformed_json'],
    ['"abc\\"', 'malformed_json'],
    ['"\\x41"', 'malformed_json'],
    ['"\\u00g0"', 'malformed_json'],
    ['"\\u12"', 'malformed_json'],
    ['"\\U0041"', 'malformed_json'],
    ['"a\nb"', 'malformed_json'],
    ['"a\tb"', 'malformed_json'],
    ['"a\u0000b"', 'malformed_json'],
    ['01', 'malformed_json'],
    ['-', 'malformed_json'],
    ['+1', 'malformed_json'],
    ['.5', 'malformed_json'],
    ['5.', 'malformed_json'],
    ['1e', 'malformed_json'],
    ['1e+', 'malformed_json'],
    ['0x10', 'malformed_json'],
    ['1_000', 'malformed_json'],
    ['NaN', 'malformed_json'],
    ['Infinity', 'malformed_json'],
    ['-Infinity', 'malformed_json'],
    ['True', 'malformed_json'],
    ['tru', 'malformed_json'],
    ['nulll', 'malformed_json'],
    ['undefined', 'malformed_json'],
    ['/* c */ 1', 'malformed_json'],
    ['1 // c', 'malformed_json'],
    ['\u00a01', 'malformed_json'],
    ['\u20281', 'malformed_json'],
    ['\f1', 'malformed_json'],
  ])('%j', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it.each([
    ['{"amount": 2500.00000000000000000001}', 'malformed_json @ amount'],
    ['{"amount": 9007199254740993}', 'malformed_json @ amount'],
    ['{"a": {"b": [0, 1e400]}}', 'malformed_json @ a.b.1'],
    ['-1e400', 'malformed_json'],
    ['1e-400', 'malformed_json'],
    ['3e-324', 'malformed_json'],
    ['1e99999999999999999999999', 'malformed_json'],
    ['1e-99999999999999999999999', 'malformed_json'],
    ['0.1000000000000000055511151231257827', 'malformed_json'],
    ['123456789012345678', 'malformed_json'],
  ])('%s loses precision', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it.each([
    ['{"__proto__": 1}', 'malformed_json @ __proto__'],
    ['{"metadata": {"__proto__": {}}}', 'malformed_json @ metadata.__proto__'],
    ['{"metadata": {"\\u005f_proto__": {}}}', 'malformed_json @ metadata.__proto__'],
    ['[{"a": [{"__proto__": null}]}]', 'malformed_json @ 0.a.0.__proto__'],
  ])('%s', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });
});

describe('duplicate_member', () => {
  it.each([
    ['{"amount": 1, "amount": 2}', 'duplicate_member @ amount'],
    ['{"amount": 1, "amount": 1}', 'duplicate_member @ amount'],
    ['{"a": 1, "\\u0061": 2}', 'duplicate_member @ a'],
    ['{"é": 1, "\\u00e9": 2}', 'duplicate_member @ é'],
    ['{"metadata": {"x": 1, "y": 2, "x": 3}}', 'duplicate_member @ metadata.x'],
    ['[{}, {"a": {}, "a": []}]', 'duplicate_member @ 1.a'],
    ['{"": 1, "": 2}', 'duplicate_member'],
    ['{"toString": 1, "toString": 2}', 'duplicate_member @ toString'],
    ['{"1": 1, "1": 2}', 'duplicate_member @ 1'],
    ['{"a": undefined, "a": 2}', 'malformed_json @ a'],
  ])('%s', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it('tells composed from decomposed names: they are never normalised', () => {
    expect(refusal('{"\u00e9": 1, "e\u0301": 2}')).toBe('accepted');
  });
});

describe('too_deep', () => {
  it('is one level more than allowed, for arrays, objects and both', () => {
    expect(refusal(nested(DEPTH_MAX))).toBe('accepted');
    expect(refusal(nested(DEPTH_MAX + 1))).toMatch(/^too_deep/);
    expect(refusal('{"a":'.repeat(33) + '1' + '}'.repeat(33))).toMatch(/^too_deep @ a\.a\.a/);
    expect(refusal('[{"a":'.repeat(17) + '1' + '}]'.repeat(17))).toMatch(/^too_deep/);
  });

  it('counts containers inside each other, not beside each other', () => {
    expect(refusal(`[${'[],{},'.repeat(1000)}[]]`)).toBe('accepted');
  });

  it('takes another limit', () => {
    expect(parseStrictJson(bytes('[[1]]'), { maxDepth: 2 })).toEqual([[1]]);
    expect(() => parseStrictJson(bytes('[[1]]'), { maxDepth: 1 })).toThrow(JsonProblem);
  });

  it.each([5_000, 200_000])('is found at the 33rd of %i levels, without an overflow', (depth) => {
    expect(refusal('['.repeat(depth))).toMatch(/^too_deep/);
    expect(refusal('{"a":'.repeat(depth))).toMatch(/^too_deep/);
  });
});

describe('invalid_encoding', () => {
  it.each([
    ['a byte that is not UTF-8', [0x22, 0xff, 0x22]],
    ['Latin-1 é', [0x22, 0xe9, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in three bytes', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['a character that is cut', [0x22, 0xe2, 0x82]],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ['a UTF-16 byte order mark', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('%s', (_, input) => {
    expect(refusal(Uint8Array.from(input))).toBe('invalid_encoding');
  });

  it.each([
    ['"\\ud800"', 'invalid_encoding'],
    ['"\\udc00"', 'invalid_encoding'],
    ['"\\ude00\\ud83d"', 'invalid_encoding'],
    ['"\\ud83d\\ud83d\\ude00"', 'invalid_encoding'],
    ['"\\ud83dx"', 'invalid_encoding'],
    ['{"a": {"\\ud800": 1}}', 'invalid_encoding @ a'],
    ['{"description": "a\\u0000b"}', 'invalid_encoding @ description'],
    ['{"metadata": {"a\\u0000": "b"}}', 'invalid_encoding @ metadata'],
  ])('%s', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it('lets a byte order mark stand inside a text, where it is a character', () => {
    expect(read('"\ufeff"')).toBe('\ufeff');
  });
});

describe('param', () => {
  it('is cut where a name is endless, and never in the middle of a character', () => {
    for (const pad of ['', 'x']) {
      const name = pad + '😀'.repeat(100_000);
      const param = refusal(`{"${name}": 1, "${name}": 2}`).split(' @ ')[1] ?? '';
      expect(param.length).toBeLessThanOrEqual(201);
      expect(param).toMatch(/^x?(😀)+…$/u);
    }
  });

  it('does not name a member that was left again', () => {
    expect(refusal('{"a": {"b": 1}, "c": x}')).toBe('malformed_json @ c');
    expect(refusal('{"a": {"b": 1}} x')).toBe('malformed_json');
  });
});

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}
