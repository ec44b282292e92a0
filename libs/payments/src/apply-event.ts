import { applyChargeEvent } from './apply-charge-event.js';
import { applyDisputeEvent } from './apply-dispute-event.js';
import { applyRefundEvent } from './apply-refund-event.js';
import type { Deps } from './deps.js';
import { type ApplyNews, type StoredEvent, type Verdict, ignored } from './news.js';

/**
 * Applies one event, which is a nudge and no more: what it says is asked of the processor, and the answer
 * goes through the same record steps as everything else. So order, age and repetition of events mean nothing.
 *
 * @keeps P5: a final payment is changed by no event. One that says otherwise is read back.
 */
export async function applyEvent(
  deps: Deps,
  event: StoredEvent,
  requestId: string,
): Promise<Verdict> {
  const apply = ROUTES.get(event.type);
  return apply === undefined ? withoutWork(event.type) : apply(deps, event, requestId);
}

/** Which family an event belongs to. What is not listed here is told by another event as well, or is not known. */
const ROUTES: ReadonlyMap<string, ApplyNews> = new Map([
  ['payment_intent.succeeded', applyChargeEvent],
  ['payment_intent.payment_failed', applyChargeEvent],
  ['payment_intent.canceled', applyChargeEvent],
  ['payment_intent.amount_capturable_updated', applyChargeEvent],
  ['charge.expired', applyChargeEvent],
  ['refund.created', applyRefundEvent],
  ['refund.updated', applyRefundEvent],
  ['refund.failed', applyRefundEvent],
  ['charge.refund.updated', applyRefundEvent],
  ['charge.dispute.created', applyDisputeEvent],
  ['charge.dispute.updated', applyDisputeEvent],
  ['charge.dispute.closed', applyDisputeEvent],
  ['charge.dispute.funds_withdrawn', applyDisputeEvent],
  ['charge.dispute.funds_reinstated', applyDisputeEvent],
]);

/** News that another event tells as well. The inbox keeps it for a replay. */
const FAMILIAR = /^(payment_intent|charge|refund)\./;

function withoutWork(type: string): Verdict {
  if (!FAMILIAR.test(type)) return ignored('its type is not known');
  return { kind: 'applied', reason: 'nothing to do: another event tells it', about: null };
}
