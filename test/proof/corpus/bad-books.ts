import type { Draft } from './draft.js';
import { BAD_ANSWERS } from './bad-answers.js';
import { BAD_CHAINS } from './bad-chains.js';
import { BAD_BOOKINGS } from './bad-bookings.js';
import { BAD_MONEY } from './bad-money.js';
import { BAD_ROWS } from './bad-rows.js';
import { BAD_STATES } from './bad-states.js';
import { BAD_STRAYS } from './bad-strays.js';
import { BAD_WORDS } from './bad-words.js';

/** One way in which books can be wrong, and the invariant by which they must be refused. */
export type Bad = {
  name: string;
  by: string;
  spoil: (draft: Draft) => void;
  /** A planted secret that is looked for. */
  canary?: string;
};

/** The known-bad corpus: each entry spoils one thing of the good books. */
export const BAD_BOOKS: readonly Bad[] = [
  ...BAD_MONEY,
  ...BAD_BOOKINGS,
  ...BAD_CHAINS,
  ...BAD_ROWS,
  ...BAD_STATES,
  ...BAD_ANSWERS,
  ...BAD_STRAYS,
  ...BAD_WORDS,
];
