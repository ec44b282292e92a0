import type { Rule } from '../source.js';

const LINES_MAX = 300;

/** A file that is longer does two things: split it by verb. (The linter says the same of code; this covers the rest.) */
export const filesAreShort: Rule = (files) =>
  files
    .filter(({ path }) => /\.(ts|mjs|js|sql|sh)$|^\.ci\/run$/.test(path))
    .map((file) => ({ ...file, lines: file.text.replace(/\n$/, '').split('\n').length }))
    .filter(({ lines }) => lines > LINES_MAX)
    .map(({ path, lines }) => ({
      path,
      line: LINES_MAX + 1,
      reason: `${lines} lines; at most ${LINES_MAX}`,
    }));
