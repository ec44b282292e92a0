import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutRoot } from '#embedded/home.js';
import { CELLS } from '../../ops/proof/cells.js';
import { isNotYet } from '../../ops/proof/milestones.js';

const text = (path: string) => {
  const file = join(checkoutRoot(), path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

describe('the fault matrix', () => {
  it('numbers its faults without a gap', () => {
    expect(CELLS.map(({ cell }) => cell)).toEqual(CELLS.map((_, at) => at + 1));
  });

  it.each(CELLS.filter(({ since }) => !isNotYet(since)))(
    'has a test for $cell: $fault',
    ({ shownBy }) => {
      expect(shownBy.length).toBeGreaterThan(0);
      const gone = shownBy.filter(([file, title]) => !isTested(file, title));
      expect(gone).toEqual([]);
    },
  );
});

/** A test of these words that is neither skipped for good nor a comment. */
function isTested(file: string, title: string): boolean {
  const source = text(file);
  const at = source.indexOf(title);
  if (at === -1) return false;
  const before = source.slice(0, at);
  const call =
    /\b(it|test|describe)((?:\.\w+)*)\s*(?:\((?:[^()]|\([^()]*\))*\)\s*)?\(\s*['"`][^'"`]*$/.exec(
      before.slice(-4000),
    );
  return call !== null && call[2] !== '.skip' && call[2] !== '.todo';
}
