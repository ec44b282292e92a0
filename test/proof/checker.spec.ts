import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Violation } from '../../ops/checker/books.js';
import { checkBooks } from '../../ops/checker/check.js';
import { INVARIANTS } from '../../ops/checker/invariants.js';
import { BAD_BOOKS, type Bad } from './corpus/bad-books.js';
import { Draft } from './corpus/draft.js';
import { type Good, goodBooks } from './corpus/good-books.js';
import { SABOTAGES } from './corpus/sabotages.js';

type Check = typeof checkBooks;

describe('the checker of three books', () => {
  let good: Good;
  beforeAll(async () => {
    good = await goodBooks();
  });

  it('finds nothing wrong with a run in which nothing was', () => {
    const found = checkBooks(good.books);
    expect(found.map(({ invariant, says }) => `${invariant} ${says}`)).toEqual([]);
  });

  it.each(BAD_BOOKS)('refuses $name by $by', (bad) => {
    const found = judge(checkBooks, good, bad);
    expect(invariantsOf(found)).toContain(bad.by);
    const proof = found.filter(({ invariant }) => invariant === bad.by);
    expect(proof.every(({ rows }) => rows.length > 0)).toBe(true);
  });

  it('has bad books for every invariant that it checks', () => {
    expect([...new Set(BAD_BOOKS.map(({ by }) => by))].sort()).toEqual(
      Object.keys(INVARIANTS).sort(),
    );
    expect(new Set(BAD_BOOKS.map(({ name }) => name)).size).toBe(BAD_BOOKS.length);
  });

  it('leaves open what was lost: whatever became of it, nobody was told', () => {
    const draft = new Draft(good);
    const { history } = draft.books;
    for (const line of history) if (line.type !== 'invoke') Object.assign(line, LOST);
    expect(checkBooks(draft.books)).toEqual([]);
    draft.books.history = history.filter(({ type }) => type === 'invoke');
    expect(checkBooks(draft.books)).toEqual([]);
  });

  it('asks for no end of anything before all is quiet', () => {
    const endless = BAD_BOOKS.filter(({ by }) => by === 'L5');
    const found = endless.map((bad) => judge(checkBooks, good, bad, false));
    expect(endless.length).toBeGreaterThan(0);
    expect(found.flatMap(invariantsOf)).not.toContain('L5');
  });

  describe('if it is sabotaged', () => {
    afterEach(() => {
      vi.doUnmock(`../../ops/checker/${last}.js`);
      vi.resetModules();
    });
    let last = '';

    it.each(SABOTAGES)('and $name, is found out by its corpus', async (sabotage) => {
      const { module, instead, alarms = false, missed } = sabotage;
      last = module;
      vi.doMock(`../../ops/checker/${module}.js`, async (original) => {
        const real = await original<object>();
        return { ...real, ...instead(real) };
      });
      vi.resetModules();
      const { checkBooks: blind } = await import('../../ops/checker/check.js');
      expect(blind(good.books).length > 0, 'false alarm').toBe(alarms);
      for (const name of missed) {
        const bad = BAD_BOOKS.find((one) => one.name === name);
        if (bad === undefined) throw new Error(`No bad books are called ${name}`);
        expect(invariantsOf(judge(blind, good, bad)), name).not.toContain(bad.by);
      }
    });
  });
});

const LOST = { type: 'lost', status: undefined, text: undefined, headers: undefined };

function judge(check: Check, good: Good, { spoil, canary }: Bad, quiet = true): Violation[] {
  const draft = new Draft(good);
  spoil(draft);
  return check(draft.books, { quiet, ...(canary && { canaries: [canary] }) });
}

function invariantsOf(found: readonly Violation[]): string[] {
  return found.map(({ invariant }) => invariant);
}
