import { violatedConstraint } from '#postgres/errors.js';

/** Each of them, somebody else has booked something. */
const REFUSALS_MAX = 10;

/**
 * Books what is missing, a step at a time, for as long as `step` says that there is more. A step that the ledger's unique
 * rule refuses was undone as a whole, since somebody else has booked part of it: the next one no longer finds that missing.
 */
export async function bookMissing(step: () => Promise<'more' | 'done'>): Promise<void> {
  for (let refusals = 0; ;) {
    try {
      if ((await step()) === 'done') return;
      refusals = 0;
    } catch (error) {
      refusals += 1;
      if (violatedConstraint(error) !== 'ledger_entries_once' || refusals === REFUSALS_MAX)
        throw error;
    }
  }
}
