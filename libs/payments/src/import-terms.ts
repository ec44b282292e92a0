import type { Terms } from './deps.js';

/** Somebody sent it, at an instant that nobody here knows: nobody holds it, and nobody may send it again. */
export function sentBySomebody(terms: Terms): Terms {
  return { ...terms, leaseMs: 0, processorKeyWindowMs: 0 };
}
