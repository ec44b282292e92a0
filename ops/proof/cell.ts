import type { Since } from './milestones.js';

/** A spec file, and words of the title of the test in it that shows the cell. */
export type Shown = readonly [file: string, title: string];

/**
 * One fault of the fault matrix: what happens to whom, what must come of it, and the tests that show it. The page
 * `docs/faults.md` is written from this table; a test holds that each test named here exists.
 */
export type Cell = {
  cell: number;
  fault: string;
  expected: string;
  shownBy: readonly Shown[];
  since?: Since;
};
