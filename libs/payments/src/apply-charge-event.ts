import { readPaymentId, readReference } from '#processor/processor-event.js';
import type { Charged, ChargeRequest } from '#processor/processor.js';
import type { NewsTarget } from './apply-event.sql.js';
import { applyToAuthorization } from './apply-to-authorization.js';
import type { Deps } from './deps.js';
import type { Lease } from './lease.js';
import { type About, type StoredEvent, type Verdict, findTarget, ignored } from './news.js';
import { recordLateSuccess } from './record-late-success.js';
import { refundLateSuccess } from './refund-late-success.js';
import { finishOperation } from './take-payment.js';
import { takeUpForNews } from './take-up-for-news.js';

/**
 * News of a charge. A pending payment is settled by a look-up under its lease; a final one is compared, and what
 * differs is read back first. Money that the processor does hold then stands in suspense.
 */
export async function applyChargeEvent(
  deps: Deps,
  event: StoredEvent,
  requestId: string,
): Promise<Verdict> {
  const payload = JSON.parse(event.payload);
  const { accountId, intent } = readReference(payload);
  if (accountId === null || intent === null) return ignored('it has no reference of ours');
  const named = { accountId, intent };
  const news: News = { event, says: wordOf(event), processorId: paymentIn(event, payload) };
  const found = await findTarget(deps, event, named);
  if ('verdict' in found) return found.verdict;
  const { target } = found;
  if (target.status !== 'pending') return compare(deps, news, accountId, target, requestId);
  const by = { accountId, processorId: news.processorId, requestId };
  const busy = await settlePending(deps, target, by);
  if (busy !== null) return busy;
  const settled = await findTarget(deps, event, named);
  if ('verdict' in settled || settled.target.status === 'pending') {
    return { kind: 'wait', reason: 'the processor could not be asked, or has not decided' };
  }
  return compare(deps, news, accountId, settled.target, requestId);
}

/** What an event claims, and the processor's payment that it claims it of. */
type News = {
  event: StoredEvent;
  says: 'succeeded' | 'authorized' | 'failed';
  processorId: string | null;
};

function wordOf({ type }: StoredEvent): News['says'] {
  if (type === 'payment_intent.succeeded') return 'succeeded';
  return type === 'payment_intent.amount_capturable_updated' ? 'authorized' : 'failed';
}

/** An event of a charge names its payment beside it. */
function paymentIn({ type, object_id }: StoredEvent, payload: unknown): string | null {
  return type.startsWith('charge.') ? readPaymentId(payload) : object_id;
}

/** Asks the processor about a pending payment, as recovery would. Null: it did; the payment may be final now. */
export async function settlePending(
  deps: Deps,
  target: NewsTarget,
  by: { accountId: string; processorId: string | null; requestId: string },
): Promise<Verdict | null> {
  const lease = await takeUpForNews(deps, by.accountId, target, by.requestId);
  if (lease === null) return { kind: 'wait', reason: 'somebody is working on its payment' };
  await finishOperation(deps, naming(lease, by.processorId));
  return null;
}

/** Asked for by the id that the event tells, since a search may lag behind it. Who answers is checked all the same. */
function naming(lease: Lease, processorId: string | null): Lease {
  return { ...lease, knownAs: processorId };
}

/** Holds an event against a payment that is not pending: equal changes nothing, and the rest is read back first. */
async function compare(
  deps: Deps,
  news: News,
  accountId: string,
  target: NewsTarget,
  requestId: string,
): Promise<Verdict> {
  const about = { accountId, paymentId: target.payment_id };
  const isSame = news.processorId === target.processor_id;
  if (agrees(news, target, isSame)) return { kind: 'applied', reason: 'as recorded', about };
  if (target.status === 'authorized' && isSame) {
    return applyToAuthorization(deps, about, requestId);
  }
  const found = await lookUpCharge(deps, accountId, target, news.processorId);
  const isPaid = target.status === 'succeeded';
  switch (found.kind) {
    case 'succeeded':
      if (isPaid && found.processorId === target.processor_id) {
        return { kind: 'applied', reason: 'old news: read back as recorded', about };
      }
      return keepInSuspense(deps, found, about, requestId);
    case 'declined':
      if (isPaid && isSame) return hold(deps, news.event, target, about);
      return { kind: 'applied', reason: 'old news: read back, it changes nothing', about };
    case 'authorized':
      return { kind: 'applied', reason: 'read back: money is held, and nobody takes it', about };
    case 'conflict':
      return hold(deps, news.event, target, about);
    default:
      return { kind: 'wait', reason: `read back: ${found.kind}` };
  }
}

/** Whether what an event says is known, or was on the way to what is known. */
function agrees({ says }: News, { status }: NewsTarget, isSame: boolean): boolean {
  if (status === 'succeeded') return isSame && says !== 'failed';
  if (status === 'authorized') return isSame && says === 'authorized';
  return says === 'failed' || (status === 'canceled' && isSame && says === 'authorized');
}

/** What became of a payment's charge, by the word of the processor. */
export function lookUpCharge(
  { processor, terms }: Deps,
  accountId: string,
  target: NewsTarget,
  processorId: string | null,
) {
  const { processorTimeoutMs: timeoutMs } = terms;
  return processor.lookUpCharge(requestOf(accountId, target), processorId, { timeoutMs });
}

/** Money that is there, against a payment that is final without it. The policy may give it back at once. */
export async function keepInSuspense(
  deps: Deps,
  charge: Charged,
  about: About,
  requestId: string,
): Promise<Verdict> {
  const { processorId, amount, currency, fee } = charge;
  const { name: processorName } = deps.processor;
  const money = { processorName, processorId, amount, currency, fee };
  const late = await recordLateSuccess(deps, { ...about, ...money });
  if (late.kind === 'not_late') {
    return { kind: 'wait', reason: 'its payment has moved while it was read back' };
  }
  if (late.isOpen && deps.terms.lateSuccessPolicy === 'refund') {
    const { breakId } = late;
    await refundLateSuccess(deps, { breakId, reason: 'late success', requestId, once: true });
  }
  return { kind: 'applied', reason: 'late success: the money stands in suspense', about };
}

/** It cannot be told what the processor holds: a person has to look. Said before it is written: a crash says it twice. */
function hold({ log }: Deps, event: StoredEvent, target: NewsTarget, about: About): Verdict {
  const reason = 'charge_contradicted';
  log.critical(reason, {
    payment_id: target.payment_id,
    processor_id: event.object_id,
    event_id: event.event_id,
    recorded: target.status,
    recorded_processor_id: target.processor_id,
  });
  return { kind: 'held', reason, about };
}

function requestOf(accountId: string, target: NewsTarget): ChargeRequest {
  return {
    processorKey: target.processor_key,
    accountId,
    amount: Number(target.amount),
    currency: target.currency,
    paymentMethod: target.payment_method,
    capture: target.capture,
    apiVersion: target.api_version,
    renderingVersion: target.rendering_version,
  };
}
