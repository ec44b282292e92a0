import { settleDueRefunds } from './refunds.js';
import { nowMs, type World } from './world.js';

/**
 * Returns a function to call when refunds may have come to be due later: it sees to it that they
 * settle in their time although nobody asks, so that the news of them goes out by itself.
 */
export function settleRefundsInTime(
  world: World,
  stopped: AbortSignal,
  onBug: (error: unknown) => void,
): () => void {
  let asleep = false;
  const settleLater = () => {
    if (asleep || stopped.aborted || world.book.state.dueRefunds.size === 0) return;
    asleep = true;
    void world.clock.sleep(untilFirst(world), stopped).then(async () => {
      asleep = false;
      if (stopped.aborted) return;
      await settleDueRefunds(world).then(settleLater, onBug);
    });
  };
  return settleLater;
}

/** A timer can wake a little early: then it sleeps once more, for this long. */
const SLEEP_MS_MIN = 10;

function untilFirst(world: World): number {
  const { state } = world.book;
  const dueMs = [...state.dueRefunds].map((id) => state.find('refund', id)?.due?.atMs ?? Infinity);
  return Math.max(SLEEP_MS_MIN, Math.min(...dueMs) - nowMs(world));
}
