import { setTimeout as pause } from 'node:timers/promises';
import { Load, whileTimeFlies } from './load.js';
import { Nemesis, drawMix } from './nemesis.js';
import { drawFailpoints, wakeLater } from './process-faults.js';
import { Choices } from './random.js';
import type { World } from './world.js';

/** Clients and a seed's own mix of faults for some seconds, all at random. */
export async function swarm(
  world: World,
  { seed, seconds, clients, only }: SwarmOptions,
  say: (line: string) => void,
): Promise<void> {
  const mix = drawMix(seed, only);
  const choices = new Choices(seed, 'failpoints');
  const hasFailpoints = only.length === 0 ? choices.happens(0.75) : only.includes('failpoints');
  if (hasFailpoints) world.arm = (kind) => drawFailpoints(choices, kind);
  world.onStopped = (replica) => void wakeLater(world, replica, choices);
  const names = mix.map(({ fault }) => fault.name);
  say(`seed ${seed}: ${[...(hasFailpoints ? ['failpoints'] : []), ...names].join(', ')}`);
  world.journal.note('seed', 'nemesis', String(seed));
  await whileTimeFlies(world, async () => {
    const load = new Load(world, { seed, clients, name: 'swarm' });
    const nemesis = new Nemesis(world, { seed, mix, seen: load.seen });
    const told = setInterval(() => {
      const kills = world.journal.counted('SIGKILLs');
      const restarts = world.journal.counted('database crash-restarts');
      say(`${load.ended} intents, ${kills} SIGKILLs, ${restarts} database crash-restarts`);
    }, 5_000);
    await pause(seconds * 1_000);
    clearInterval(told);
    await nemesis.stop();
    await load.stop();
  });
}

export type SwarmOptions = {
  seed: number;
  seconds: number;
  clients: number;
  /** Fault kinds; empty for the seed's own mix. */
  only: readonly string[];
};
