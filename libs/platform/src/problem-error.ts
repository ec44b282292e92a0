import type { Problem } from '#problems/problems.js';

/** Thrown at the edge (guard, parser, controller) and turned into an answer by the one filter. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}
