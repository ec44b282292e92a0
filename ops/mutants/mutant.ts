import type { Since } from '../proof/milestones.js';
import type { DesignError } from '../model/designs.js';

/** One error that somebody could make, as a small patch, and the checks that must find it. */
export type Mutant = {
  id: string;
  /** The milestone that builds what it breaks; printed as "not yet" until then. */
  since?: Since;
  /** The error, in words that finish "what if …". */
  what: string;
  /** `list`: of the classic errors m1 to m36; `design`: of a rule that is the design's own. */
  kind: 'list' | 'design';
  patches: readonly Patch[];
  /** Each of them has to find it. */
  checks: readonly Check[];
  /** Its first check takes a second or two. */
  fast?: boolean;
};

/** The text to find stands exactly once in the file, else the mutant is stale. */
export type Patch = { file: string; find: string; put: string };

export type Check =
  /** The test of this title fails by an assertion. */
  | { by: 'spec'; file: string; title: string }
  /** A schedule among so many seeds violates this invariant. */
  | { by: 'simulate'; seeds: number; invariant: string }
  /** The search of the model finds this error of design by the invariant that is named for it. */
  | { by: 'model'; option: DesignError };

export function spec(file: string, title: string): Check {
  return { by: 'spec', file, title };
}

export function wordsOf(check: Check): string {
  if (check.by === 'model') return `model ${check.option}`;
  if (check.by === 'simulate') return `simulate ${check.invariant}`;
  return `${check.file} "${check.title}"`;
}
