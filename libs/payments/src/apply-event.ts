import { readReference } from '#processor/processor-event.js';
import type { ChargeRequest } from '#processor/processor.js';
import { FIND_NEWS_TARGET, type NewsTarget } from './apply-event.sql.js';
import type { Deps } from './deps.js';
import type { Lease } from './lease.js';
import { finishPayment } from './take-payment.js';
import { takeUp } from './take-up.js';

/** An event as the inbox holds it. */
export type StoredEvent = {
  event_id: string;
  type: string;
  object_id: string | null;
  payload: string;
  waits: number;
};

type About = { accountId: string; paymentId: string };

export type Verdict =
  | { kind: 'applied'; reason: string; about: About | null } // nothing is left to do
  | { kind: 'ignored'; reason: string; about: null } // it is not for us
  | { kind: 'held'; reason: string; about: About | null } // it contradicts what is final here
  | { kind: 'wait'; reason: string }; // somebody else has to move first: no try

/**
 * Applies one event, which is a nudge and no more: what it says is asked of the processor, and the answer
 * goes through the same record step as everything else. So order, age and repetition of events mean nothing.
 *
 * @keeps P5: a final payment is changed by no event. One that says otherwise is read back, and held.
 */
export async function applyEvent(
  deps: Deps,
  event: StoredEvent,
  requestId: string,
): Promise<Verdict> {
  const says = SAYS.get(event.type);
  if (says === undefined) return withoutWork(event.type);
  const { accountId, intent } = readReference(JSON.parse(event.payload));
  if (accountId === null || intent === null) return ignored('it has no reference of ours');
  const find = async () =>
    (await deps.db.run(FIND_NEWS_TARGET, [accountId, intent, deps.processor.name]))[0];
  const found = await find();
  if (!found) return ignored('it names an account that is not here');
  if (found.payment_id === null) return unmatched(deps, event, { accountId, intent });
  if (found.status !== 'pending') return compare(deps, event, says, accountId, found);
  const waiting = await settlePending(deps, event, accountId, found, requestId);
  if (waiting !== null) return waiting;
  const settled = await find();
  if (!settled?.payment_id || settled.status === 'pending') {
    return { kind: 'wait', reason: 'the processor could not be asked, or has not decided' };
  }
  return compare(deps, event, says, accountId, settled);
}

type Word = 'succeeded' | 'failed';

/** Events of a charge, and what each claims became of it. */
const SAYS: ReadonlyMap<string, Word> = new Map([
  ['payment_intent.succeeded', 'succeeded'],
  ['payment_intent.payment_failed', 'failed'],
  ['payment_intent.canceled', 'failed'],
]);

/** News of what has no step yet, or is told by another event as well. The inbox keeps it for a replay. */
const FAMILIAR = /^(payment_intent|charge|refund)\./;

function withoutWork(type: string): Verdict {
  if (!FAMILIAR.test(type)) return ignored('its type is not known');
  return { kind: 'applied', reason: 'nothing to do yet', about: null };
}

/** Some hours of waits that double from a second: a claim commits before it is sent, so its row is not just late. */
const WAITS_FOR_A_ROW_MAX = 14;

/** Our reference, at an account of ours, and no operation: a database that lost rows may look like this. */
function unmatched(
  { log }: Deps,
  event: StoredEvent,
  names: { accountId: string; intent: string },
): Verdict {
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

/** Asks the processor about a pending payment, as recovery would. Null: it did; the payment may be final now. */
async function settlePending(
  deps: Deps,
  event: StoredEvent,
  accountId: string,
  target: NewsTarget,
  requestId: string,
): Promise<Verdict | null> {
  const { key_state: state, ended } = target;
  const busy: Verdict = { kind: 'wait', reason: 'somebody is working on its payment' };
  if (target.running || state === 'finished' || state === 'canceled') return busy;
  if (state !== 'started' && ended) return busy; // about to be closed, by a sweep or its caller
  const lease = await takeUp(deps, {
    accountId,
    keyHash: target.key_hash,
    state,
    ended,
    orderOnce: false, // whatever holds the order's slot: money that moved is recorded
    actor: 'worker',
    requestId,
    lookOnly: true,
  });
  if (lease === null) return busy;
  await finishPayment(deps, naming(lease, event.object_id));
  return null;
}

/** Asked for by the id that the event tells, since a search may lag behind it. Who answers is checked all the same. */
function naming(lease: Lease, processorId: string | null): Lease {
  return { ...lease, payment: { ...lease.payment, processorId } };
}

/** Holds an event against a payment that is final: equal changes nothing, and anything else is read back first. */
async function compare(
  deps: Deps,
  event: StoredEvent,
  says: Word,
  accountId: string,
  target: NewsTarget,
): Promise<Verdict> {
  const about = { accountId, paymentId: target.payment_id };
  const isPaid = target.status === 'succeeded';
  const isSame = event.object_id === target.processor_id;
  if (isPaid ? says === 'succeeded' && isSame : says === 'failed') {
    return { kind: 'applied', reason: 'as recorded', about };
  }
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const request = requestOf(accountId, target);
  const found = await deps.processor.lookUpCharge(request, event.object_id, { timeoutMs });
  switch (found.kind) {
    case 'succeeded':
      if (isPaid && found.processorId === target.processor_id) {
        return { kind: 'applied', reason: 'old news: read back as recorded', about };
      }
      return hold(deps, isPaid ? 'second_charge' : 'late_success', event, target, about);
    case 'declined':
      if (isPaid && isSame) return hold(deps, 'charge_contradicted', event, target, about);
      return { kind: 'applied', reason: 'old news: read back, it changes nothing', about };
    case 'conflict':
      return hold(deps, 'charge_contradicted', event, target, about);
    default:
      return { kind: 'wait', reason: `read back: ${found.kind}` };
  }
}

/**
 * Money against a final payment is never booked silently and never ignored: it is said aloud, and the event
 * stays open. Said before it is written: a crash in between says it twice.
 */
function hold(
  { log }: Deps,
  what: 'late_success' | 'second_charge' | 'charge_contradicted',
  event: StoredEvent,
  target: NewsTarget,
  about: About,
): Verdict {
  log.critical(what, {
    payment_id: target.payment_id,
    processor_id: event.object_id,
    event_id: event.event_id,
    recorded: target.status,
    recorded_processor_id: target.processor_id,
  });
  return { kind: 'held', reason: what, about };
}

function requestOf(accountId: string, target: NewsTarget): ChargeRequest {
  return {
    processorKey: target.processor_key,
    accountId,
    amount: Number(target.amount),
    currency: target.currency,
    paymentMethod: target.payment_method,
    capture: 'automatic',
    apiVersion: target.api_version,
    renderingVersion: target.rendering_version,
  };
}

function ignored(reason: string): Verdict {
  return { kind: 'ignored', reason, about: null };
}
