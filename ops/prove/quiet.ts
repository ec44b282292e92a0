import { setTimeout as pause } from 'node:timers/promises';
import * as sql from './prove.sql.js';
import type { World } from './world.js';

/** Far more than it takes on a machine that is busy with other things, too. */
const WITHIN_MS = 300_000;
const STEP_MS = 2_000;

/** Takes every fault back, and waits until every process serves. */
export async function heal(world: World): Promise<void> {
  world.arm = () => '';
  await world.processor.faults({});
  await world.processor.webhooks({});
  for (const replica of world.replicas) {
    replica.signal('SIGCONT');
    // Its failpoints are in its environment: only another process is without them.
    if (replica.isArmed) replica.signal('SIGKILL');
  }
  while (world.postgres.isCrashing) await pause(50);
  await Promise.all(world.replicas.map((replica) => replica.up()));
}

/**
 * Waits until nobody has anything left to come back to. Returns what is left when that takes too long, or when the run
 * is being stopped.
 */
export async function untilQuiet(world: World): Promise<Record<string, number> | null> {
  const deadlineMs = performance.now() + WITHIN_MS;
  for (;;) {
    await world.advance(STEP_MS);
    const left = await whatIsLeft(world);
    if (Object.values(left).every((count) => count === 0)) return null;
    if (world.stopping.aborted || performance.now() > deadlineMs) return left;
    await pause(100);
  }
}

async function whatIsLeft(world: World): Promise<Record<string, number>> {
  const { events_owed: owed, running_keys: running, events } = await world.processor.state();
  const [left] = await world.owner.run(sql.COUNT_UNSETTLED, []);
  const { stored = 0, ...ours } = left ?? {};
  // What was never delivered has to be fetched.
  return { ...ours, owed, running, 'events not here': Math.max(0, events - stored) };
}
