import { type Mutant, spec } from './mutant.js';

const CHECKER_SPEC = 'test/proof/checker.spec.ts';

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
    checks: [spec(CHECKER_SPEC, 'finds nothing wrong with a run in which nothing was')],
  },
  {
    id: 'm36b',
    kind: 'list',
    what: 'the checker does not look for what has no partner in the other book',
    patches: [
      {
        file: 'ops/checker/partners.ts',
        find: '(partnerOf(item) ?? false) === false',
        put: '(partnerOf(item) ?? false) === null',
      },
    ],
    checks: [spec(CHECKER_SPEC, "refuses 'a charge that nobody here knows of' by 'I2'")],
  },
  {
    id: 'm36c',
    kind: 'list',
    what: 'the checker compares amounts as they are printed, without cents',
    patches: [
      {
        file: 'ops/checker/amounts.ts',
        find: '  return one !== null && one === other;',
        put: '  return one !== null && other !== null && one / 100n === other / 100n;',
      },
    ],
    checks: [spec(CHECKER_SPEC, "refuses 'a fee of one cent too much' by 'I3'")],
  },
];
