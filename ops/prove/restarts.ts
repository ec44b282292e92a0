import { setTimeout as pause } from 'node:timers/promises';
import { crashPostgres } from './database-faults.js';
import { Load, whileTimeFlies } from './load.js';
import type { PhaseResult, Terms } from './phase.js';
import { Choices } from './random.js';

const CLIENTS = 5;
/** Intents that end between two crashes: so that each crash has something to lose. */
const INTENTS_BETWEEN = 4;
const WITHIN_MS = 30_000;

/** The database is crashed under load, at once and by SIGKILL in turn; what clients had been told must be there. */
export async function restarts(terms: Terms): Promise<PhaseResult> {
  const { seed, scale, say, stopping } = terms;
  const world = await terms.world();
  const choices = new Choices(seed, 'restarts');
  const load = new Load(world, { seed, clients: CLIENTS, name: 'restarts', pauseMs: 20 });
  let done = 0;
  try {
    await whileTimeFlies(world, async () => {
      while (done < scale.restarts && !stopping.aborted) {
        await someEnd(load);
        await crashPostgres(world, done % 2 === 0 ? 'immediate' : 'kill', choices.between(0, 500));
        done += 1;
        say(`${done} of ${scale.restarts} database crash-restarts, ${load.ended} intents`);
      }
      await someEnd(load);
    });
  } finally {
    await whileTimeFlies(world, () => load.stop());
  }
  return {
    line: `${done} PostgreSQL crash-restarts under load, ${load.ended} intents`,
    findings: [],
  };
}

async function someEnd(load: Load): Promise<void> {
  const enough = load.ended + INTENTS_BETWEEN;
  const deadlineMs = performance.now() + WITHIN_MS;
  while (load.ended < enough && performance.now() < deadlineMs) await pause(20);
}
