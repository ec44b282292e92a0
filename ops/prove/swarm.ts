import { setTimeout as pause } from 'node:timers/promises';
import { Load, whileTimeFlies } from './load.js';
import type { PhaseResult, Terms } from './phase.js';
import { Nemesis, drawMix } from './nemesis.js';
import { drawFailpoints, wakeLater } from './process-faults.js';
import { heal } from './quiet.js';
import { Choices } from './random.js';
import type { World } from './world.js';

/** The longest that one mix of faults is kept; then the next seed draws another. */
const ROUND_SECONDS = 30;
const CLIENTS = 6;

/** Clients, and one seed's own mix of faults after the other, all at random. */
export async function swarm(terms: Terms): Promise<PhaseResult> {
  const { scale, stopping } = terms;
  const world = await terms.world();
  let seed = terms.seed;
  let intents = 0;
  const untilMs = performance.now() + scale.swarmSeconds * 1_000;
  while (performance.now() < untilMs && !stopping.aborted) {
    const leftSeconds = (untilMs - performance.now()) / 1_000;
    intents += await round(world, { ...terms, seed }, Math.min(ROUND_SECONDS, leftSeconds));
    world.journal.count('swarm seeds');
    seed += 1;
    await whileTimeFlies(world, () => heal(world));
  }
  const seeds = `seeds ${terms.seed} to ${seed - 1}`;
  return { line: `${intents} intents under random faults, ${seeds}`, findings: [] };
}

async function round(world: World, terms: Terms, seconds: number): Promise<number> {
  const { seed, only, say, stopping } = terms;
  const mix = drawMix(seed, only);
  const choices = new Choices(seed, 'failpoints');
  const named = only.filter((name) => name !== 'swarm');
  const hasFailpoints = named.length === 0 ? choices.happens(0.75) : named.includes('failpoints');
  if (hasFailpoints) world.arm = (kind) => drawFailpoints(choices, kind);
  world.onStopped = (replica) => void wakeLater(world, replica, choices).catch(() => {});
  const names = mix.map(({ fault }) => fault.name);
  say(`seed ${seed}: ${[...(hasFailpoints ? ['failpoints'] : []), ...names].join(', ')}`);
  world.journal.note('seed', 'nemesis', String(seed));
  const load = new Load(world, { seed, clients: CLIENTS, name: 'swarm' });
  await whileTimeFlies(world, async () => {
    const nemesis = new Nemesis(world, { seed, mix, seen: load.seen });
    const told = setInterval(() => {
      const kills = world.journal.counted('SIGKILLs');
      const crashes = world.journal.counted('database crash-restarts');
      say(`${load.ended} intents, ${kills} SIGKILLs, ${crashes} database crash-restarts`);
    }, 5_000);
    await pause(seconds * 1_000, undefined, { signal: stopping }).catch(() => {});
    clearInterval(told);
    say('taking every fault back');
    await nemesis.stop();
    await heal(world);
    await load.stop();
  });
  return load.ended;
}
