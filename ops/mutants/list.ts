import { readFileSync } from 'node:fs';
import { UsageError } from '../command.js';
import { DESIGN_ERRORS, type DesignError } from '../model/designs.js';
import { CALL_MUTANTS } from './call.js';
import { CHECKER_MUTANTS } from './checker.js';
import { CLAIM_MUTANTS } from './claim.js';
import { LATER_MUTANTS } from './later.js';
import { MONEY_MUTANTS } from './money.js';
import type { Mutant } from './mutant.js';
import { NEWS_MUTANTS } from './news.js';
import { RECONCILIATION_MUTANTS } from './reconciliation.js';
import { RECORD_MUTANTS } from './record.js';
import { RECOVERY_MUTANTS } from './recovery.js';

/** Errors of the design need no patch: the model's search is told to make them. */
const MODEL_MUTANTS: Mutant[] = (Object.keys(DESIGN_ERRORS) as DesignError[]).map((option, at) => ({
  id: `p${at + 1}`,
  kind: 'design',
  what: DESIGN_ERRORS[option].what,
  fast: true,
  patches: [],
  checks: [{ by: 'model', option }],
}));

/** Every mutant: m1 to m36 in their order, then the design's own (d), then those of the model (p). */
export const MUTANTS: readonly Mutant[] = [
  ...[
    ...CLAIM_MUTANTS,
    ...CALL_MUTANTS,
    ...RECORD_MUTANTS,
    ...RECOVERY_MUTANTS,
    ...NEWS_MUTANTS,
    ...MONEY_MUTANTS,
    ...CHECKER_MUTANTS,
    ...RECONCILIATION_MUTANTS,
    ...LATER_MUTANTS,
  ].toSorted((one, other) => rank(one) - rank(other)),
  ...MODEL_MUTANTS,
];

function rank({ id, kind }: Mutant): number {
  const number = Number(/\d+/.exec(id)?.[0]);
  return (kind === 'list' ? 0 : 1_000) + number;
}

/** Mutants out of a file, in the same form. */
export function readMutants(file: string): Mutant[] {
  const text = readFileSync(file, 'utf8');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON`);
  }
  const isMutant = (each: Partial<Mutant> | null) =>
    typeof each?.id === 'string' && Array.isArray(each.patches) && Array.isArray(each.checks);
  if (!Array.isArray(list) || !list.every(isMutant))
    throw new UsageError(`${file} is no list of mutants`);
  return list as Mutant[];
}
