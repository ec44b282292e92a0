import type { RefundFound } from '#processor/processor.js';
import type { Deps } from './deps.js';
import {
  type About,
  type StoredEvent,
  type Verdict,
  ignored,
  notFound,
  unmatched,
} from './news.js';
import { recordRefundNews } from './record-refund-news.js';
import { FIND_REFUND_TARGET, type RefundTarget } from './refund-news.sql.js';
import { finishOperation } from './take-payment.js';
import { takeUpForNews } from './take-up-for-news.js';

/**
 * News of a refund. It is read back; one whose own end is not known yet is settled by a look-up under its lease,
 * like a charge, and what becomes of it after that is recorded by a step of its own.
 */
export async function applyRefundEvent(
  deps: Deps,
  event: StoredEvent,
  requestId: string,
): Promise<Verdict> {
  if (event.object_id === null) return ignored('it names no refund');
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const found = await deps.processor.readRefund(event.object_id, { timeoutMs });
  if (found.kind === 'not_found') return notFound(deps, event, 'refund');
  if (found.kind !== 'found') return { kind: 'wait', reason: `read back: ${found.kind}` };
  const { accountId, intent } = found;
  if (accountId === null || intent === null) return madeElsewhere(deps, event, found);
  const [named] = await deps.db.run(FIND_REFUND_TARGET, [accountId, intent, deps.processor.name]);
  if (!named) return ignored('it names an account that is not here');
  if (named.refund_id === null) return unmatched(deps, event, { accountId, intent });
  const about = { accountId, paymentId: named.refund_payment_id };
  if (named.refund_status === 'pending' && named.refund_processor_id === null) {
    const busy = await settlePending(deps, named, found, accountId, requestId);
    if (busy !== null) return busy;
  }
  return record(deps, event, found, named, about);
}

/** Asks the processor about a refund whose end is not known, as recovery would. Null: it did. */
async function settlePending(
  deps: Deps,
  target: RefundTarget,
  found: RefundFound,
  accountId: string,
  requestId: string,
): Promise<Verdict | null> {
  const lease = await takeUpForNews(deps, accountId, target, requestId);
  if (lease === null) return { kind: 'wait', reason: 'somebody is working on the refund' };
  await finishOperation(deps, { ...lease, knownAs: found.processorId });
  return null;
}

async function record(
  deps: Deps,
  event: StoredEvent,
  found: RefundFound,
  target: RefundTarget,
  about: About,
): Promise<Verdict> {
  const { processorId, status, failureReason } = found;
  const verdict = await recordRefundNews(deps, {
    ...about,
    refundId: target.refund_id,
    processorId,
    status,
    failureReason,
  });
  switch (verdict.kind) {
    case 'recorded':
      return { kind: 'applied', reason: `recorded: ${verdict.refund.status}`, about };
    case 'known':
      return { kind: 'applied', reason: 'as recorded', about };
    case 'not_taken':
      return { kind: 'wait', reason: 'the processor could not be asked, or has not decided' };
    case 'contradicted':
      return hold(deps, event, about, verdict.detail);
  }
}

/**
 * Made by hand at the processor, or by another program. It is money all the same: whoever reconciles the day finds
 * that it is missing here, and until then this line tells of it.
 */
async function madeElsewhere(deps: Deps, event: StoredEvent, found: RefundFound): Promise<Verdict> {
  if (found.paymentId === null) return ignored('it has no reference of ours');
  const { processor, terms, log } = deps;
  const options = { timeoutMs: terms.processorTimeoutMs };
  const payment = await processor.readPayment(found.paymentId, options);
  if (payment.kind === 'not_sent' || payment.kind === 'unknown') {
    return { kind: 'wait', reason: `its payment read back: ${payment.kind}` };
  }
  if (payment.kind === 'not_found') return notFound(deps, event, 'payment');
  if (payment.intent === null) return ignored('it has no reference of ours');
  log.warning('refund_made_elsewhere', {
    event_id: event.event_id,
    processor_id: found.processorId,
    payment_processor_id: found.paymentId,
    account_id: payment.accountId,
    amount: found.amount,
    currency: found.currency,
  });
  return ignored('it was not made by us: reconciliation finds it');
}

/** A person has to look. Said before it is written: a crash in between says it twice. */
function hold({ log }: Deps, event: StoredEvent, about: About, detail: string): Verdict {
  log.critical('refund_contradicted', {
    payment_id: about.paymentId,
    processor_id: event.object_id,
    event_id: event.event_id,
    detail,
  });
  return { kind: 'held', reason: `refund_contradicted: ${detail}`, about };
}
