import { COMMITTING, cutOne } from './database-faults.js';
import { Load, whileTimeFlies } from './load.js';
import type { PhaseResult, Terms } from './phase.js';

const CLIENTS = 6;
const FRUITLESS_MAX = 60;

/** Commits are lost on the wire, half before they reach the server, half after they took place. */
export async function cuts(terms: Terms): Promise<PhaseResult> {
  const { seed, scale, say, stopping } = terms;
  const world = await terms.world();
  const load = new Load(world, { seed, clients: CLIENTS, name: 'cuts', pauseMs: 5 });
  const done = { cut_before: 0, cut_after: 0 };
  let fruitless = 0;
  try {
    await whileTimeFlies(world, async () => {
      for (let turn = 0; total() < scale.cuts && fruitless < FRUITLESS_MAX; turn++) {
        if (stopping.aborted) break;
        // All replicas are armed at once: whichever commits first is cut first.
        const action = done.cut_before <= done.cut_after ? 'cut_before' : 'cut_after';
        const wanted = Math.min(world.replicas.length, scale.cuts / 2 - done[action]);
        const armed = world.replicas.slice(0, wanted);
        const cut = await Promise.all(armed.map((one) => cutOne(world, one, action, COMMITTING)));
        const count = cut.filter(Boolean).length;
        done[action] += count;
        fruitless = count === 0 ? fruitless + 1 : 0;
        if (turn % 8 === 0) say(`${total()} of ${scale.cuts} commits cut, ${load.ended} intents`);
      }
    });
  } finally {
    await whileTimeFlies(world, () => load.stop());
  }
  const line = `${done.cut_before} commits cut before and ${done.cut_after} after, ${load.ended} intents`;
  return { line, findings: [] };

  function total(): number {
    return done.cut_before + done.cut_after;
  }
}
