import { writeSync } from 'node:fs';

/**
 * Named places where a test makes this process die, stop, throw or wait. The demonstration build
 * reads `FAILPOINTS=name:hit:action[,…]` once; the production build has an empty module in the place
 * of this one (`failpoints.production.ts`), and a test looks for the names in `dist`.
 *
 * A hit is counted, never timed: `c5:2:kill` kills at the second passage of `c5`, however fast that is.
 */
// prettier-ignore
export const FAILPOINT_NAMES = [
  // A request: it is read, its claim sent, committed; the call written, its answer in, not parsed; before the
  // record step, that one sent, committed; half of the answer written. Recovery passes c5 to c13 as well.
  'c1', 'c2', 'c3', 'c5', 'c6', 'c7', 'c12', 'c13', 'c14',
  // An event: verified, stored, taken by a worker, its payment locked, applied and not yet marked so.
  'w1', 'w2', 'w3', 'w4', 'w5',
  // Recovery: an item is found due, and taken over.
  'x1', 'x2',
  // A reconciliation: the report is fetched, its lines copied and not committed, compared and no break written, written.
  's1', 's2', 's3', 's4',
] as const;
export type FailpointName = (typeof FAILPOINT_NAMES)[number];

const ACTIONS = ['kill', 'term', 'stop', 'throw', 'delay', 'block'] as const;
type Action = (typeof ACTIONS)[number];
type Plan = { name: FailpointName; hit: number; action: Action; ms: number };

const plans = parse(process.env['FAILPOINTS'] ?? '');

/** Whether any failpoint is set at all, for callers that would prepare something only for its sake. */
export const failpointsArmed = plans.length > 0;

const hits = new Map<FailpointName, number>();

/** Passes a failpoint. Returns at once unless `FAILPOINTS` names this passage. */
export async function failpoint(name: FailpointName): Promise<void> {
  if (plans.length === 0) return;
  const hit = (hits.get(name) ?? 0) + 1;
  hits.set(name, hit);
  const plan = plans.find((candidate) => candidate.name === name && candidate.hit === hit);
  if (plan) await act(plan);
}

async function act({ name, hit, action, ms }: Plan): Promise<void> {
  tell({ event: 'failpoint', name, hit, action });
  switch (action) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {}); // the signal is on its way; nothing after this line may run
    case 'term':
      process.kill(process.pid, 'SIGTERM');
      return;
    case 'stop':
      process.kill(process.pid, 'SIGSTOP');
      return;
    case 'throw':
      throw new Error(`failpoint ${name}`);
    case 'delay':
      return new Promise((resolve) => setTimeout(resolve, ms));
    case 'block': {
      const until = performance.now() + ms;
      while (performance.now() < until);
      return;
    }
  }
}

/** On stderr, and written before anything happens: whoever counts what was hit hears of a kill, too. */
function tell(passed: object): void {
  try {
    writeSync(2, `${JSON.stringify({ level: 'warning', ...passed })}\n`);
  } catch {
    // A pipe that is full, or that nobody reads, changes nothing about the fault.
  }
}

/** `c5:1:kill`, `c6:2:delay=3000`. Throws on anything else, so that a typo cannot pass as a green run. */
function parse(text: string): Plan[] {
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [name, hit, action, ms] = part.trim().split(/[:=]/);
      const plan = { name, hit: Number(hit), action, ms: Number(ms ?? 1000) } as Plan;
      const known = FAILPOINT_NAMES.includes(plan.name) && ACTIONS.includes(plan.action);
      if (!known || !(plan.hit >= 1) || !(plan.ms >= 0)) {
        throw new Error(`FAILPOINTS: "${part}" is not name:hit:action`);
      }
      return plan;
    });
}
