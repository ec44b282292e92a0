import type { Violation } from '../checker/books.js';
import type { Plan } from './plan.js';
import { Listed } from './policy.js';
import { type Result, runSchedule } from './run.js';
import type { Stage } from './stage.js';

export type Shrunk = { plan: Plan; choices: number[]; violations: Violation[] };

/** Trials for one list: enough for most, and no more than half a minute. */
const TRIALS_MAX = 300;

/**
 * Makes a failing schedule small: without whole clients and wishes, without its end, with ever fewer choices that
 * are not the calm one; each trial is kept if the same invariant is still violated.
 */
export async function shrink(stage: Stage, { plan, choices, violations }: Result): Promise<Shrunk> {
  const wanted = violations[0]?.invariant;
  let best: Shrunk = { plan, choices: trimmed(choices), violations };
  let trials = 0;
  const attempt = async (trial: Pick<Shrunk, 'plan' | 'choices'>): Promise<boolean> => {
    if (trials >= TRIALS_MAX) return false;
    trials += 1;
    const result = await runSchedule(stage, trial.plan, new Listed(trial.choices));
    if (!result.violations.some(({ invariant }) => invariant === wanted)) return false;
    best = { plan: trial.plan, choices: trimmed(trial.choices), violations: result.violations };
    return true;
  };
  for (const smaller of plansWithout(plan)) await attempt({ plan: smaller, choices: best.choices });
  for (let size = best.choices.length >> 1; size >= 1; size >>= 1) {
    for (let at = best.choices.length - size; at >= 0; at -= size) {
      const calmer = best.choices.map((choice, n) => (n >= at && n < at + size ? 0 : choice));
      if (calmer.some((choice, n) => choice !== best.choices[n]))
        await attempt({ plan: best.plan, choices: calmer });
    }
  }
  return best;
}

/** The calm choices at the end say nothing: a list that has ended is calm. */
function trimmed(choices: readonly number[]): number[] {
  return choices.slice(0, choices.findLastIndex((choice) => choice !== 0) + 1);
}

function plansWithout(plan: Plan): Plan[] {
  const fewerClients = plan.clients.map((_, gone) => ({
    ...plan,
    clients: plan.clients.map((client, n) => (n === gone ? { ...client, wishes: [] } : client)),
  }));
  const fewerWishes = plan.clients.flatMap((client, n) =>
    client.wishes.slice(1).map((_, last) => ({
      ...plan,
      clients: plan.clients.with(n, { ...client, wishes: client.wishes.slice(0, last + 1) }),
    })),
  );
  return [...fewerClients, ...fewerWishes];
}
