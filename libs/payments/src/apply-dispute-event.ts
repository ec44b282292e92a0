import type { DisputeFound } from '#processor/processor.js';
import { keepInSuspense, lookUpCharge, settlePending } from './apply-charge-event.js';
import type { NewsTarget } from './apply-event.sql.js';
import type { Deps } from './deps.js';
import {
  type About,
  type StoredEvent,
  type Verdict,
  findTarget,
  ignored,
  notFound,
} from './news.js';
import { recordDispute } from './record-dispute.js';

/**
 * News of a dispute. Each of its events says no more than that there is one: it is read back, with the payment that
 * it is about, and what is missing here of its life is recorded.
 */
export async function applyDisputeEvent(
  deps: Deps,
  event: StoredEvent,
  requestId: string,
): Promise<Verdict> {
  if (event.object_id === null) return ignored('it names no dispute');
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const found = await deps.processor.readDispute(event.object_id, { timeoutMs });
  if (found.kind === 'not_found') return notFound(deps, event, 'dispute');
  if (found.kind !== 'found') return { kind: 'wait', reason: `read back: ${found.kind}` };
  const { accountId, intent } = found;
  if (accountId === null || intent === null) return ignored('it has no reference of ours');
  const named = await findTarget(deps, event, { accountId, intent });
  if ('verdict' in named) return named.verdict;
  const { target } = named;
  const about = { accountId, paymentId: target.payment_id };
  const waiting = await chargeFirst(deps, found, target, about, requestId);
  return waiting ?? record(deps, event, found, target, about);
}

/**
 * The money that is disputed has to stand in the books before it leaves them: a payment that is pending is settled
 * first, and money that came late goes into suspense first. Null: it stands there.
 */
async function chargeFirst(
  deps: Deps,
  found: DisputeFound,
  target: NewsTarget,
  about: About,
  requestId: string,
): Promise<Verdict | null> {
  const { accountId } = about;
  const { paymentId: processorId } = found;
  if (target.status === 'pending') {
    const busy = await settlePending(deps, target, { accountId, processorId, requestId });
    return busy ?? { kind: 'wait', reason: 'its payment was settled first' };
  }
  if (target.status === 'authorized') {
    return { kind: 'wait', reason: 'the capture of its payment is not recorded yet' };
  }
  if (target.status === 'succeeded') return null;
  const charge = await lookUpCharge(deps, accountId, target, processorId);
  if (charge.kind !== 'succeeded') return { kind: 'wait', reason: `read back: ${charge.kind}` };
  const kept = await keepInSuspense(deps, charge, about, requestId);
  return kept.kind === 'applied' ? null : kept;
}

async function record(
  deps: Deps,
  event: StoredEvent,
  found: DisputeFound,
  target: NewsTarget,
  about: About,
): Promise<Verdict> {
  if (target.status === 'succeeded' && found.paymentId !== target.processor_id) {
    return hold(deps, event, about, `it is about ${found.paymentId}, a second charge`);
  }
  const { processorId, status, amount, currency, openedAt } = found;
  const verdict = await recordDispute(deps, {
    ...about,
    processorName: deps.processor.name,
    processorId,
    status,
    amount,
    currency,
    openedAt,
  });
  if (verdict.kind === 'contradicted') return hold(deps, event, about, verdict.detail);
  const reason = verdict.kind === 'known' ? 'as recorded' : `recorded: ${verdict.dispute.status}`;
  return { kind: 'applied', reason, about };
}

/** A person has to look. Said before it is written: a crash in between says it twice. */
function hold({ log }: Deps, event: StoredEvent, about: About, detail: string): Verdict {
  log.critical('dispute_contradicted', {
    payment_id: about.paymentId,
    processor_id: event.object_id,
    event_id: event.event_id,
    detail,
  });
  return { kind: 'held', reason: `dispute_contradicted: ${detail}`, about };
}
