import type { Books, Violation } from '../checker/books.js';
import { judge } from './judge-world.js';
import type { Phase, Terms } from './phase.js';
import { type Outcome, writeDiagram } from './report.js';
import { countSometimes, zerosOf } from './sometimes.js';
import { World } from './world.js';

export type Plan = Omit<Terms, 'world'> & {
  phases: readonly Phase[];
  folder: string;
  isFull: boolean;
};
export type Sitting = { outcome: Outcome; lines: string[]; zeros: string[] };

/** Runs the phases one after the other on one world, compares the books after each, and stops at a violation. */
export async function sit(plan: Plan): Promise<Sitting> {
  const { folder, say, scale } = plan;
  let world: World | undefined;
  const open = async () =>
    (world ??= await World.open({
      folder,
      apis: scale.apis,
      workers: scale.workers,
      say,
      stopping: plan.stopping,
    }));
  const lines: string[] = [];
  const violations: Violation[] = [];
  let books: Books | undefined;
  const last = plan.phases.findLast(({ usesWorld }) => usesWorld);
  try {
    for (const phase of plan.phases) {
      if (plan.stopping.aborted) break;
      const beganMs = performance.now();
      const { line, findings } = await phase.run({ ...plan, world: open });
      violations.push(...findings);
      if (plan.stopping.aborted) break; // half of it shows nothing
      if (phase.usesWorld && world && (scale.judgesEach || phase === last)) {
        say('waiting until nothing is left over, then comparing the books');
        const judged = await judge(world);
        books = judged.books;
        violations.push(...judged.violations);
      }
      const seconds = Math.round((performance.now() - beganMs) / 1_000);
      lines.push(`${phase.name}: ${line} (${seconds} s)`);
      say(`${violations.length === 0 ? 'held' : 'VIOLATED'}  ${phase.name}: ${line}`);
      if (violations.length > 0) break;
    }
    if (world && books) writeDiagram(folder, books, world.journal, violations);
    return conclude(plan, { world, books, violations, lines });
  } finally {
    await world?.close();
  }
}

type Found = {
  world: World | undefined;
  books: Books | undefined;
  violations: Violation[];
  lines: string[];
};

function conclude(plan: Plan, { world, books, violations, lines }: Found): Sitting {
  const sometimes = world && books ? countSometimes({ books, journal: world.journal }) : {};
  const zeros = zerosOf(sometimes);
  const isVacuous = plan.isFull && zeros.length > 0;
  const counts = {
    ...world?.journal.counts,
    requests: books?.history.filter(({ type }) => type === 'invoke').length ?? 0,
    booked: books?.processor.length ?? 0,
  };
  const held = isVacuous ? 'vacuous' : 'held';
  const verdict = violations.length > 0 ? 'violated' : held;
  return { outcome: { verdict, seed: plan.seed, counts, sometimes, violations }, lines, zeros };
}
