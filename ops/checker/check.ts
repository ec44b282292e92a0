import { checkAnswers } from './answers.js';
import type { Books, Violation } from './books.js';
import { checkChain } from './chain.js';
import { checkDatabase } from './database.js';
import { checkEntries } from './entries.js';
import { checkEvidence } from './evidence.js';
import { checkKeys } from './processor-keys.js';
import { checkMoney } from './money.js';
import { checkPayouts } from './payouts.js';
import { checkProcessor } from './processor.js';
import { checkQuiet } from './quiet.js';
import { checkSaved } from './saved.js';
import { checkSecrets } from './secrets.js';
import { checkSteps } from './steps.js';
import { checkTenants } from './tenants.js';
import { checkTies } from './ties.js';
import { checkTold } from './told.js';
import type { Terms } from './terms.js';
import { worldOf } from './world.js';

/**
 * Compares what clients saw, our database and the processor's book. Shares no code with the service: it reads rows,
 * parses money and derives keys by itself. Linear in the size of the books.
 */
export function checkBooks(books: Books, terms: Terms = { quiet: true }): Violation[] {
  const world = worldOf(books);
  const { quiet } = terms;
  return [
    ...checkProcessor(world, terms),
    ...checkKeys(world, terms),
    ...checkMoney(world, quiet),
    ...checkEntries(world),
    ...checkPayouts(world),
    ...checkChain(world),
    ...checkDatabase(world),
    ...checkSteps(world),
    ...checkEvidence(world),
    ...checkAnswers(world, terms),
    ...checkTold(world),
    ...checkSaved(world),
    ...checkTies(world),
    ...checkTenants(world),
    ...checkSecrets(world, terms),
    ...(quiet ? checkQuiet(world) : []),
  ];
}
