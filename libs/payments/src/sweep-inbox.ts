import {
  type DueEvent,
  POSTPONE_EVENT,
  READ_LAG,
  SETTLE_EVENT,
  TAKE_DUE_EVENTS,
} from '#events/inbox.sql.js';
import {
  DatabaseUnavailable,
  StatementUnconfirmed,
  isOverload,
  isWorthRepeating,
} from '#postgres/errors.js';
import { failpoint } from '#seams/failpoints.js';
import { applyEvent } from './apply-event.js';
import type { Deps } from './deps.js';
import type { Verdict } from './news.js';
import { eventWaitMs } from './waits.js';

const BATCH_MAX = 50;
/** An event that fails by itself so often is poison: it stands aside, and those behind it go on. */
const TRIES_MAX = 3;

type End = Verdict['kind'] | 'failed' | 'set_aside';

export type InboxPass = {
  /** Events worked on, by what became of them. */
  ended: Partial<Record<End, number>>;
  /** The pass ended at its bound: there is more to do now. */
  more: boolean;
};

/**
 * One pass over the inbox: a bounded batch of the events that have been due for longest. What another worker
 * has taken is left alone, and so is every younger row: nothing counts or moves before its own turn has come,
 * so a backlog of any length wears nobody out.
 *
 * @keeps P2: news of a charge is applied, held or said aloud, and never lost.
 */
export async function sweepInbox(deps: Deps, requestId: string): Promise<InboxPass> {
  const { db, processor, terms } = deps;
  const due = await db.run(TAKE_DUE_EVENTS, [processor.name, terms.leaseMs, BATCH_MAX]);
  const ended: InboxPass['ended'] = {};
  await Promise.all(
    due.map(async (event) => {
      const end = await workOn(deps, event, requestId);
      ended[end] = (ended[end] ?? 0) + 1;
    }),
  );
  return { ended, more: due.length >= BATCH_MAX };
}

export type InboxLag = { events: number; seconds: number };

/** How far applying is behind receiving. */
export async function readInboxLag({ db }: Pick<Deps, 'db'>): Promise<InboxLag> {
  const [lag] = await db.run(READ_LAG, []);
  return lag ?? { events: 0, seconds: 0 };
}

async function workOn(deps: Deps, event: DueEvent, requestId: string): Promise<End> {
  try {
    await failpoint('w3');
    const verdict = await applyEvent(deps, event, requestId);
    await failpoint('w5');
    if (verdict.kind === 'wait') await postpone(deps, event, verdict.reason, 0);
    else await settle(deps, event, verdict.kind, verdict.reason, verdict.about, 0);
    return verdict.kind;
  } catch (error) {
    return afterFailure(deps, event, error);
  }
}

/** A database that is away says nothing of the event: it comes due again after a lease, and no try is counted. */
async function afterFailure(deps: Deps, event: DueEvent, error: unknown): Promise<End> {
  const facts = { event_id: event.event_id, type: event.type, error: String(error) };
  deps.log.warning('event_failed', facts);
  if (isPassing(error)) return 'failed';
  try {
    if (event.tries + 1 < TRIES_MAX) {
      await postpone(deps, event, String(error), 1);
      return 'failed';
    }
    const ours = await settle(deps, event, 'set_aside', String(error), null, 1);
    if (ours) deps.log.critical('event_set_aside', facts);
    return 'set_aside';
  } catch (second) {
    deps.log.warning('event_not_written', { ...facts, error: String(second) });
    return 'failed';
  }
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailable ||
    error instanceof StatementUnconfirmed ||
    isOverload(error) ||
    isWorthRepeating(error)
  );
}

async function postpone(deps: Deps, event: DueEvent, reason: string, tries: 0 | 1): Promise<void> {
  await deps.db.run(POSTPONE_EVENT, [
    deps.processor.name,
    event.event_id,
    reason.slice(0, REASON_LENGTH_MAX),
    tries,
    eventWaitMs(event.waits, deps.random),
  ]);
}

/** False: somebody else had ended it. */
async function settle(
  { db, processor }: Deps,
  event: DueEvent,
  state: 'applied' | 'ignored' | 'held' | 'set_aside',
  reason: string,
  about: { accountId: string; paymentId: string } | null,
  tries: 0 | 1,
): Promise<boolean> {
  const [row] = await db.run(SETTLE_EVENT, [
    processor.name,
    event.event_id,
    state,
    reason.slice(0, REASON_LENGTH_MAX),
    about?.accountId ?? null,
    about?.paymentId ?? null,
    tries,
  ]);
  return row !== undefined;
}

const REASON_LENGTH_MAX = 500;
