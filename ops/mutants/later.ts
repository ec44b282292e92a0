import type { Mutant } from './mutant.js';

/** What will be broken when it has been built. */
export const LATER_MUTANTS: readonly Mutant[] = [
  later('m21', 'F', 'delivery reads events whose number is above the last one'),
  later('m22', 'F', 'delivery marks an event before it is delivered'),
  later('m28', 'E', 'retries have no bound, no jitter and no budget'),
  later('m34', 'F', 'an outgoing webhook’s address is checked at its registration alone'),
];

function later(id: string, since: 'E' | 'F', what: string): Mutant {
  return { id, since, kind: 'list', what, patches: [], checks: [] };
}
