import { actions } from './actions.js';
import { badInputs, bursts } from './abuse.js';
import { cuts } from './cuts.js';
import { kills } from './kills.js';
import { runOther } from './other-command.js';
import type { Phase, PhaseResult, Terms } from './phase.js';
import { restarts } from './restarts.js';
import { swarm } from './swarm.js';

/** In the order in which they run; each finds the system whole, and leaves it so. */
export const PHASES: readonly Phase[] = [
  { name: 'kills', usesWorld: true, run: kills },
  { name: 'actions', usesWorld: true, isLong: true, run: actions },
  { name: 'restarts', usesWorld: true, run: restarts },
  { name: 'cuts', usesWorld: true, run: cuts },
  { name: 'swarm', usesWorld: true, run: swarm },
  { name: 'bursts', usesWorld: true, run: bursts },
  { name: 'inputs', usesWorld: true, run: badInputs },
  { name: 'simulate', usesWorld: false, run: simulate },
];

async function simulate(terms: Terms): Promise<PhaseResult> {
  const { seed, scale } = terms;
  const args = ['--seeds', `${seed}..${seed + scale.simulations - 1}`];
  const { code, counts, violations, lastWords } = await runOther('simulate', args, terms);
  const findings =
    code === 0 || violations.length > 0
      ? violations.map(({ invariant, says = '', rows }) => ({ invariant, says, rows }))
      : [{ invariant: 'simulate', says: `it ended with ${code}: ${lastWords}`, rows: [] }];
  return { line: `${counts['schedules'] ?? 0} simulated schedules`, findings };
}
