import { setTimeout as pause } from 'node:timers/promises';
import { FAILPOINT_NAMES, type FailpointName } from '#seams/failpoints.js';
import type { Fault } from './nemesis.js';
import type { Choices } from './random.js';
import type { Replica, ReplicaKind } from './replica.js';
import { LEASE_MS, type World } from './world.js';

/** What each kind of process passes; a worker passes those of a request as well, when it takes one over. */
export const POINTS: Record<ReplicaKind, readonly FailpointName[]> = {
  api: FAILPOINT_NAMES.filter((name) => /^c|^w[12]$/.test(name)),
  worker: FAILPOINT_NAMES.filter((name) => /^x|^w[345]$|^c([567]|12|13)$/.test(name)),
};

/** What the next process of a kind is armed with: a few faults on its way, and mostly one that ends it. */
export function drawFailpoints(choices: Choices, kind: ReplicaKind): string {
  if (choices.happens(0.35)) return '';
  const last = choices.of(['kill', 'kill', 'kill', 'term', 'stop', 'throw'] as const);
  const others = Array.from({ length: choices.between(0, 2) }, () => {
    const action = choices.of(['throw', 'delay=700', 'delay=2500', 'block=400', 'stop'] as const);
    return `${choices.of(POINTS[kind])}:${choices.between(1, 8)}:${action}`;
  });
  return [...others, `${choices.of(POINTS[kind])}:${choices.between(1, 12)}:${last}`].join(',');
}

/** A process that stopped itself sleeps past its lease, and goes on as if nothing had been. */
export async function wakeLater(world: World, replica: Replica, choices: Choices): Promise<void> {
  const { pid } = replica;
  await pause(choices.between(100, 600));
  if (choices.happens(0.7)) await world.advance(LEASE_MS);
  await pause(choices.between(200, 1_500));
  if (replica.pid !== pid) return;
  replica.signal('SIGCONT');
  world.journal.note('continued', replica.name);
}

export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'kill',
    gapMs: 2_500,
    strike: async ({ world, choices }) => {
      const victim = choices.of(world.replicas);
      world.journal.note('kill', victim.name, 'SIGKILL from outside');
      await victim.killed();
    },
  },
  {
    name: 'term',
    gapMs: 9_000,
    strike: async ({ world, choices }) => {
      const victim = choices.of(world.replicas);
      world.journal.note('term', victim.name, 'SIGTERM from outside');
      victim.signal('SIGTERM');
      await pause(200);
      await victim.up();
    },
  },
  {
    name: 'stop',
    gapMs: 7_000,
    strike: async ({ world, choices }) => {
      const victim = choices.of(world.replicas);
      world.journal.note('stop', victim.name, 'SIGSTOP from outside');
      victim.signal('SIGSTOP');
      await wakeLater(world, victim, choices);
    },
  },
  {
    name: 'clock',
    gapMs: 6_000,
    strike: async ({ world, choices }) => {
      const ms = choices.of([1_000, 5_000, LEASE_MS, 2 * LEASE_MS]);
      world.journal.note('clock', 'clock', `${ms} ms ahead`);
      await world.advance(ms);
    },
  },
];
