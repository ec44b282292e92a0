import type { Deps } from './deps.js';
import { FIND_NEWS_TARGET, type NewsTarget } from './apply-event.sql.js';

/** An event as the inbox holds it. */
export type StoredEvent = {
  event_id: string;
  type: string;
  object_id: string | null;
  payload: string;
  waits: number;
  /** Milliseconds since it came. */
  age_ms: number;
};

export type About = { accountId: string; paymentId: string };

export type Verdict =
  | { kind: 'applied'; reason: string; about: About | null } // nothing is left to do
  | { kind: 'ignored'; reason: string; about: null } // it is not for us
  | { kind: 'held'; reason: string; about: About | null } // a person has to look
  | { kind: 'wait'; reason: string }; // somebody else has to move first: no try

/** Applies the events of one family. `requestId` names the pass that works on it. */
export type ApplyNews = (deps: Deps, event: StoredEvent, requestId: string) => Promise<Verdict>;

export function ignored(reason: string): Verdict {
  return { kind: 'ignored', reason, about: null };
}

/**
 * The processor does not find what an event tells of: that is proof only once a new object must have become visible.
 *
 * @keeps P2: news of money is not put aside because its reading came too early.
 */
export function notFound({ terms }: Deps, event: StoredEvent, thing: string): Verdict {
  return event.age_ms < terms.visibilityWindowMs
    ? { kind: 'wait', reason: `the processor shows no such ${thing} yet` }
    : ignored(`the processor knows no such ${thing}`);
}

export type Named = { accountId: string; intent: string };

/** The payment that is named, and the operation that charges it; or what to do with the event without them. */
export async function findTarget(
  deps: Deps,
  event: StoredEvent,
  { accountId, intent }: Named,
): Promise<{ target: NewsTarget } | { verdict: Verdict }> {
  const [found] = await deps.db.run(FIND_NEWS_TARGET, [accountId, intent, deps.processor.name]);
  if (!found) return { verdict: ignored('it names an account that is not here') };
  if (found.payment_id === null) return { verdict: unmatched(deps, event, { accountId, intent }) };
  return { target: found };
}

/** Some hours of waits that double from a second: a claim commits before it is sent, so its row is not just late. */
const WAITS_FOR_A_ROW_MAX = 14;

/** Our reference, at an account of ours, and no operation: a database that lost rows may look like this. */
export function unmatched({ log }: Deps, event: StoredEvent, names: Named): Verdict {
  const reason = 'no payment here has its reference';
  if (event.waits < WAITS_FOR_A_ROW_MAX) return { kind: 'wait', reason };
  log.critical('event_without_payment', {
    event_id: event.event_id,
    processor_id: event.object_id,
    account_id: names.accountId,
    intent: names.intent,
  });
  return { kind: 'held', reason, about: null };
}
