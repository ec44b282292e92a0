import { describe, expect, it } from 'vitest';
import { SAMPLES as WHOLE_SAMPLES } from './tidy/samples.js';
import type { Rule } from './tidy/source.js';
import { WORD_SAMPLES } from './tidy/word-samples.js';

const SAMPLES = [...WHOLE_SAMPLES, ...WORD_SAMPLES];

/** A rule that cannot turn red guards nothing: each one meets a sample that breaks it, and one that keeps it. */
describe('a house rule', () => {
  it.each(SAMPLES)('refuses $what', ({ rule, red, says }) => {
    expect(violations(rule, red)).toContainEqual(expect.stringMatching(startingWith(says)));
  });

  it.each(SAMPLES)('lets pass what is no case of $what', ({ rule, green }) => {
    expect(violations(rule, green)).toEqual([]);
  });
});

function violations(rule: Rule, planted: Record<string, string>): string[] {
  const files = Object.entries(planted).map(([path, text]) => ({ path, text }));
  return rule(files).map(({ path, line, reason }) => `${path}:${line} ${reason}`);
}

function startingWith(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`);
}
