import { writeBooks, type Books, type Violation } from '../checker/books.js';
import { checkBooks } from '../checker/check.js';
import { dumpDatabase } from '../checker/dump.js';
import { writeTerms } from '../checker/terms.js';
import { heal, untilQuiet } from './quiet.js';
import { DEMO_STRIPE_KEY, DEMO_WEBHOOK_SECRET } from '#platform/config.js';
import type { World } from './world.js';
import { whileTimeFlies } from './load.js';

export type Judged = { books: Books; violations: Violation[]; quietAfterMs: number };

/** Heals, waits for quiet, reads all three books and compares them. Writes them beside the run's other files. */
export async function judge(world: World): Promise<Judged> {
  const beganMs = performance.now();
  world.journal.note('heal', 'nemesis');
  await whileTimeFlies(world, () => heal(world));
  const left = await untilQuiet(world);
  const quietAfterMs = Math.round(performance.now() - beganMs);
  const books = await readWorld(world);
  await writeBooks(world.folder, books);
  const terms = {
    quiet: true,
    unrecorded: world.strangers.map(({ id }) => id),
    planted: world.journal.planted,
    canaries: [...world.accounts, ...world.strangers].map(({ apiKey }) => apiKey).concat(SECRETS),
  };
  writeTerms(world.folder, terms);
  const violations = checkBooks(books, terms);
  if (left !== null) violations.unshift(neverQuiet(left));
  return { books, violations, quietAfterMs };
}

const SECRETS = [DEMO_STRIPE_KEY, DEMO_WEBHOOK_SECRET];

export async function readWorld(world: World): Promise<Books> {
  const database = await dumpDatabase({
    query: async (text) => ({ rows: await world.owner.run({ name: '', text }, []) }),
  });
  return { history: world.history.lines, database, processor: await world.processor.book() };
}

function neverQuiet(left: Record<string, number>): Violation {
  const words = Object.entries(left).filter(([, count]) => count > 0);
  const says = words.map(([what, count]) => `${count} ${what}`).join(', ');
  return { invariant: 'L5', says: `healed, and never quiet: ${says}`, rows: [left] };
}
