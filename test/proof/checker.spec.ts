import { beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from '../../ops/checker/check.js';
import { type Good, goodBooks } from './corpus/good-books.js';

describe('the checker of three books', () => {
  let good: Good;
  beforeAll(async () => {
    good = await goodBooks();
  });

  it('finds nothing wrong with a run in which nothing was', () => {
    const { books } = good;
    expect(checkBooks(books).map(({ invariant, says }) => `${invariant} ${says}`)).toEqual([]);
  });
});
