import { type Mutant, spec } from './mutant.js';

/** Errors of the checker itself: what judges must be judged. */
export const CHECKER_MUTANTS: readonly Mutant[] = [
  {
    id: 'm36a',
    kind: 'list',
    what: 'the checker drops requests whose answer was lost',
    patches: [
      {
        file: 'ops/checker/calls.ts',
        find: '  return [...calls.values()];',
        put: "  return [...calls.values()].filter(({ heard }) => heard?.type === 'answer');",
      },
    ],
    checks: [
      spec('test/proof/checker.spec.ts', 'finds nothing wrong with a run in which nothing was'),
    ],
  },
];
