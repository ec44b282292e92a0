import type { Db } from '#postgres/db.js';
import { REPLAY_EVENT, REPLAY_RANGE } from './replay.sql.js';

/** Who asks, and why: what every audit row says. */
export type Asked = { mode: 'test' | 'live'; actor: string; reason: string };

/** Events that one act may set back. Their rows are locked until it commits. */
export const REPLAYED_MAX = 10_000;

type Inbox = { db: Db; processorName: string };

/**
 * Sets an event back to be applied again, also if it was applied, ignored, held or set aside: applying it
 * twice changes nothing. Returns how many were set back, or null if there is no such event.
 */
export async function replayEvent(
  { db, processorName }: Inbox,
  eventId: string,
  { mode, actor, reason }: Asked,
): Promise<number | null> {
  if (eventId.includes('\0')) return null; // no text in PostgreSQL has it, so no event is called so
  const [found] = await db.run(REPLAY_EVENT, [processorName, eventId, mode, actor, reason]);
  if (!found) return null;
  return found.running ? 0 : 1;
}

/** All events that were stored from one instant until just before another; null if that is too many for one act. */
export async function replayRange(
  { db, processorName }: Inbox,
  { from, to }: { from: Date; to: Date },
  { mode, actor, reason }: Asked,
): Promise<number | null> {
  const target = `events:${from.toISOString()}/${to.toISOString()}`;
  const [row] = await db.run(REPLAY_RANGE, [
    processorName,
    from,
    to,
    mode,
    actor,
    REPLAYED_MAX,
    target,
    reason,
  ]);
  if (!row) throw new Error('Bug: counting found nothing to count');
  return row.found > REPLAYED_MAX ? null : row.replayed;
}
