import { actions } from './actions.js';
import { badInputs, bursts } from './abuse.js';
import { cuts } from './cuts.js';
import { kills } from './kills.js';
import { lateNews } from './late-news.js';
import { type Told, runOther } from './other-command.js';
import type { Finding, Phase, PhaseResult, Terms } from './phase.js';
import { settlement } from './settlement.js';
import { restarts } from './restarts.js';
import { swarm } from './swarm.js';

/** In the order in which they run; each finds the system whole, and leaves it so. */
export const PHASES: readonly Phase[] = [
  { name: 'kills', usesWorld: true, run: kills },
  { name: 'actions', usesWorld: true, isLong: true, run: actions },
  { name: 'restarts', usesWorld: true, run: restarts },
  { name: 'cuts', usesWorld: true, run: cuts },
  { name: 'swarm', usesWorld: true, run: swarm },
  { name: 'news', usesWorld: true, run: lateNews },
  { name: 'settlement', usesWorld: true, run: settlement },
  { name: 'bursts', usesWorld: true, run: bursts },
  { name: 'inputs', usesWorld: true, run: badInputs },
  { name: 'simulate', usesWorld: false, run: simulate },
  { name: 'mutants', usesWorld: false, run: mutants },
];

async function simulate(terms: Terms): Promise<PhaseResult> {
  const { seed, scale } = terms;
  const args = ['--seeds', `${seed}..${seed + scale.simulations - 1}`];
  const told = await runOther('simulate', args, terms);
  const line = `${told.counts['schedules'] ?? 0} simulated schedules`;
  return { line, findings: findingsOf('simulate', told) };
}

/** The ones that take a second or two: the suite is still able to see. */
async function mutants(terms: Terms): Promise<PhaseResult> {
  const told = await runOther('mutants', ['--fast'], terms);
  const line = `${told.counts['killed'] ?? 0} mutants killed by the check that is named for them`;
  return { line, findings: findingsOf('mutants', told) };
}

function findingsOf(command: string, { code, violations, lastWords }: Told): Finding[] {
  if (code === 0) return [];
  const found = violations.map(({ invariant, says = '', rows }) => ({ invariant, says, rows }));
  const ended = { invariant: command, says: `it ended with ${code}: ${lastWords}`, rows: [] };
  return found.length > 0 ? found : [ended];
}
