import { checkAnswers } from './answers.js';
import type { Books, Violation } from './books.js';
import { checkDatabase } from './database.js';
import { checkMoney } from './money.js';
import { checkProcessor } from './processor.js';
import { checkQuiet } from './quiet.js';
import { worldOf } from './world.js';

/** The invariants that these books can show, by the names of `docs/proof.md`. */
export const CHECKED =
  'I1 I2 I3 I4 I5 I6 I7 I9 I10 I11 I12 I14 I15 I16 I17 I18 I20 I23 L1 L5'.split(' ');

export type Terms = {
  /** Nothing is under way any more: then everything must have its end as well. */
  quiet: boolean;
};

/**
 * Compares what clients saw, our database and the processor's book. Shares no code with the service: it reads rows,
 * parses money and derives keys by itself. Linear in the size of the books.
 */
export function checkBooks(books: Books, { quiet }: Terms = { quiet: true }): Violation[] {
  const world = worldOf(books);
  return [
    ...checkProcessor(world, quiet),
    ...checkMoney(world, quiet),
    ...checkDatabase(world),
    ...checkAnswers(world),
    ...(quiet ? checkQuiet(world) : []),
  ];
}
