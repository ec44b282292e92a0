import type { Plan } from './plan.js';
import { Listed } from './policy.js';
import { type Result, runSchedule } from './run.js';
import type { Stage } from './stage.js';

/** Trials for one list: enough for most of them, and no more than a minute or so. */
const TRIALS_MAX = 250;

/**
 * Makes a failing schedule small: without whole clients, without their last wishes, with ever fewer choices that are
 * not the calm one. A trial is kept if the same invariant is still violated.
 */
export async function shrink(stage: Stage, failed: Result, isOver: () => boolean): Promise<Result> {
  const wanted = failed.violations[0]?.invariant;
  let best = { ...failed, choices: trimmed(failed.choices) };
  let trials = 0;
  const attempt = async (plan: Plan, choices: readonly number[]): Promise<boolean> => {
    if (trials >= TRIALS_MAX || isOver()) return false;
    trials += 1;
    const result = await runSchedule(stage, plan, new Listed(choices));
    if (!result.violations.some(({ invariant }) => invariant === wanted)) return false;
    best = { ...result, choices: trimmed(choices) };
    return true;
  };
  for (const [n, { wishes }] of failed.plan.clients.entries()) {
    for (let kept = 0; kept < wishes.length; kept += 1) {
      if (await attempt(withWishes(best.plan, n, kept), best.choices)) break;
    }
  }
  for (let size = best.choices.length >> 1; size >= 1; size >>= 1) {
    for (let at = best.choices.length - size; at >= 0; at -= size) {
      const calmer = best.choices.map((choice, n) => (n >= at && n < at + size ? 0 : choice));
      if (calmer.some((choice, n) => choice !== best.choices[n])) await attempt(best.plan, calmer);
    }
  }
  return best;
}

/** The calm choices at the end say nothing: a list that has ended is calm. */
function trimmed(choices: readonly number[]): number[] {
  return choices.slice(0, choices.findLastIndex((choice) => choice !== 0) + 1);
}

/** This client wants only the first of what it wanted. */
function withWishes(plan: Plan, client: number, count: number): Plan {
  const clients = plan.clients.map((one, n) =>
    n === client ? { ...one, wishes: one.wishes.slice(0, count) } : one,
  );
  return { ...plan, clients };
}
