import { DatabaseUnavailable, StatementUnconfirmed, violatedConstraint } from '#postgres/errors.js';
import type { Deps } from './deps.js';

/** What becomes of one object of the processor's in an import. */
export type ImportEnd =
  | 'imported' // it is here now, through the record step
  | 'settled' // its operation was here, and has been asked for
  | 'known' // as recorded
  | 'not_ours'
  | 'refused' // a person has to look: it was said aloud
  | 'again'; // the processor could not be asked: the pass is not whole

/**
 * Imports one thing. A rule of the database that refuses it says so aloud and keeps nobody closed for ever;
 * what a second importer had just done is known.
 */
export async function orRefused(
  { log }: Pick<Deps, 'log'>,
  facts: Record<string, unknown>,
  work: () => Promise<ImportEnd>,
): Promise<ImportEnd> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailable || error instanceof StatementUnconfirmed) throw error;
    if (violatedConstraint(error) === 'imported_operations_pkey') return 'known';
    log.critical('import_refused', { ...facts, error: String(error) });
    return 'refused';
  }
}
