import type { Books } from '../checker/books.js';
import type { Journal } from '../prove/journal.js';
import { countSometimes, REPORT_BREAKS } from '../prove/sometimes.js';

/** What happened to the processes, as far as a counter asks for it. */
export type Diary = {
  /** When a commit took place that its process did not hear of. */
  unheardAt: number[];
  /** Writes under a lease that somebody else had taken over. */
  refusedWrites: number;
};

/** A run of so many schedules has to have met each of them. */
export const SCHEDULES_TO_MEET_ALL = 1_000;

const TAKEN_OVER = 'take-over while the old owner lives';

/** The counters of the proof with real processes, in so far as a simulation has what they count. */
export function sometimesOf(books: Books, { unheardAt, refusedWrites }: Diary) {
  const journal = {
    happenings: unheardAt.map((at) => ({ at, kind: 'cut_after', who: '', detail: '' })),
    counted: (what: string) => (what === 'continued' ? refusedWrites : 0),
  };
  const counters = countSometimes({ books, journal: journal as unknown as Journal });
  // The attempt of an owner that lives and is late stays open for ever: its refused write is what tells of it.
  counters[TAKEN_OVER] = Math.max(counters[TAKEN_OVER] ?? 0, refusedWrites);
  const isElsewhere = (name: string) =>
    name.startsWith('failpoint ') || REPORT_BREAKS.some((kind) => name === `break ${kind}`);
  return Object.fromEntries(Object.entries(counters).filter(([name]) => !isElsewhere(name)));
}

/** Counters of several schedules together; null is what a later version brings. */
export function addSometimes(
  whole: Record<string, number | null>,
  more: Record<string, number | null>,
): void {
  for (const [name, count] of Object.entries(more))
    whole[name] = count === null ? null : (whole[name] ?? 0) + count;
}

/** What a run that was long enough has never met; none in a shorter one. */
export function neverMet(sometimes: Record<string, number | null>, schedules: number): string[] {
  if (schedules < SCHEDULES_TO_MEET_ALL) return [];
  return Object.keys(sometimes).filter((name) => sometimes[name] === 0);
}
