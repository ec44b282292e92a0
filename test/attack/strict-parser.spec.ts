import { describe, expect, it } from 'vitest';
import { JsonProblem, parseStrictJson } from '#json/strict-json.js';
import { faultOfReading, runStrictParser } from '../../ops/abuse/strict-parser.js';
import { JSON_CORPUS } from './json-corpus.js';

describe('the strict parser on the corpus', () => {
  it.each(JSON_CORPUS)('%s', (name, text, code) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text);
    expect(name.startsWith('y_')).toBe(code === undefined);
    expect(refusal(bytes)).toBe(code);
    expect(faultOfReading(bytes)).toBeNull();
  });
});

describe('the strict parser on texts drawn from the grammar', () => {
  it('agrees with the engine, and refuses for the reasons on the list only', () => {
    const { findings, accepted, refused } = runStrictParser({ seed: 1, count: 20_000 });
    expect(findings).toEqual([]);
    expect(accepted).toBeGreaterThan(2_000);
    expect(Object.keys(refused).sort()).toEqual([
      'duplicate_member',
      'invalid_encoding',
      'malformed_json',
      'too_deep',
    ]);
  });

  it.each([
    ['what is no JSON', '{"a":1,}', { a: 1 }],
    ['a member that comes twice', '{"a":1,"a":2}', { a: 2 }],
    ['half of a pair', '"\\ud800"', '\ud800'],
    ['a number that is rounded', '9007199254740993', 9007199254740992],
    ['another value', '[1]', [2]],
  ])('would tell of a parser that takes %s', (_what, text, value) => {
    expect(faultOfReading(Buffer.from(text), { kind: 'value', value })).not.toBeNull();
  });

  it('would tell of one that refuses without a reason', () => {
    const refused = { kind: 'refused', code: 'duplicate_member' } as const;
    expect(faultOfReading(Buffer.from('{"a":{"a":1}}'), refused)).not.toBeNull();
  });
});

function refusal(bytes: Buffer): string | undefined {
  try {
    parseStrictJson(bytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return error.code;
  }
}
