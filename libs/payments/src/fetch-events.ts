import { FIND_UNSTORED, MOVE_CURSOR, STORE_FETCHED, TAKE_CURSOR } from '#events/inbox.sql.js';
import type { EventPage, EventPosition } from '#processor/event-list.js';
import type { ProcessorEvent } from '#processor/processor-event.js';
import type { Deps } from './deps.js';

/** How often the list is read, by all workers together. */
const WALK_EVERY_MS = 60_000;
/** Pages of one pass. */
const PAGES_MAX = 10;
/** A younger event may still be on its way to us, or not be in the list yet. */
const LATE_AFTER_MS = 60_000;
/** How far back the first walk looks. */
const FIRST_WALK_MS = 86_400_000;

export type FetchPass = {
  /** Events looked at, and those among them that were never delivered. */
  read: number;
  missed: number;
  /** The pass ended at its bound. */
  more: boolean;
};

type Walk = FetchPass & { newest: string | null };

/**
 * Reads on in the processor's own list of events, and puts into the inbox what was never delivered: after an
 * outage of ours, or of the sender. Bounded, and the cursor moves only over what is stored.
 */
export async function fetchMissedEvents(deps: Deps): Promise<FetchPass> {
  const { db, processor } = deps;
  const [cursor] = await db.run(TAKE_CURSOR, [processor.name, WALK_EVERY_MS]);
  if (!cursor) return { read: 0, missed: 0, more: false }; // not yet, or somebody else does
  const lateSeconds = (cursor.now.getTime() - LATE_AFTER_MS) / 1_000;
  const sinceSeconds = Math.floor((cursor.began_at.getTime() - FIRST_WALK_MS) / 1_000);
  const walk =
    (cursor.event_id === null ? null : await walkOn(deps, cursor.event_id, lateSeconds)) ??
    (await walkBack(deps, sinceSeconds, lateSeconds));
  const { newest, ...pass } = walk;
  if (newest !== null) await db.run(MOVE_CURSOR, [processor.name, newest, pass.more]);
  return pass;
}

/** From the cursor on, oldest first. Null if the processor no longer knows the event that it stands at. */
async function walkOn(deps: Deps, from: string, lateSeconds: number): Promise<Walk | null> {
  const walk = { read: 0, missed: 0, more: false, newest: from };
  for (let pages = 1; pages <= PAGES_MAX; pages++) {
    const page = await list(deps, { kind: 'after', eventId: walk.newest });
    if (page.kind === 'unknown_event') return null;
    if (page.kind === 'failed') return walk;
    const late = page.events.filter(({ createdSeconds }) => createdSeconds <= lateSeconds);
    await store(deps, walk, late);
    walk.newest = late.at(-1)?.id ?? walk.newest;
    if (!page.more || late.length < page.events.length) return walk;
  }
  return { ...walk, more: true };
}

/** Without a cursor, the newest first, for so many pages; what is older than that was not ours to hear. */
async function walkBack(deps: Deps, createdSeconds: number, lateSeconds: number): Promise<Walk> {
  const walk: Walk = { read: 0, missed: 0, more: false, newest: null };
  let before: string | null = null;
  for (let pages = 1; pages <= PAGES_MAX; pages++) {
    const page: EventPage = await list(deps, { kind: 'since', createdSeconds, before });
    if (page.kind !== 'page') return { ...walk, newest: null }; // from the beginning, next time
    const late = page.events.filter((event) => event.createdSeconds <= lateSeconds);
    await store(deps, walk, late);
    walk.newest ??= late[0]?.id ?? null;
    before = page.events.at(-1)?.id ?? null;
    if (!page.more || before === null) return walk;
  }
  deps.log.warning('events_walk_cut', { read: walk.read });
  return walk;
}

async function list({ processor, terms, log }: Deps, position: EventPosition): Promise<EventPage> {
  const page = await processor.listEvents(position, { timeoutMs: terms.processorTimeoutMs });
  if (page.kind === 'failed') log.warning('events_not_listed', { detail: page.detail });
  if (page.kind === 'unknown_event') log.warning('event_cursor_lost', { position });
  if (page.kind === 'page' && page.unreadable > 0) {
    log.critical('event_unreadable', { events: page.unreadable });
  }
  return page;
}

async function store(deps: Deps, walk: Walk, events: readonly ProcessorEvent[]): Promise<void> {
  const { db, processor } = deps;
  walk.read += events.length;
  if (events.length === 0) return;
  const unstored = await db.run(FIND_UNSTORED, [processor.name, events.map(({ id }) => id)]);
  const ids = new Set(unstored.map(({ event_id }) => event_id));
  for (const event of events.filter(({ id }) => ids.has(id))) {
    const { id, type, objectId, payload, bodyHash } = event;
    const stored = await db.run(STORE_FETCHED, [
      processor.name,
      id,
      type,
      objectId,
      payload,
      bodyHash,
    ]);
    walk.missed += stored.length;
  }
}
