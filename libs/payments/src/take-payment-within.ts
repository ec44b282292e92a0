import type { Deps } from './deps.js';
import type { Intent } from './intent.js';
import type { Patience } from './lease.js';
import { type Reply, pendingReply, problemReply } from './reply.js';
import { takePayment } from './take-payment.js';

/**
 * Takes a payment for a caller who waits so long and no longer (`Prefer: wait=N`). When the wait ends:
 *
 *   nothing claimed yet       503; should the claim still come, it is released unsent
 *   claimed, perhaps sent     202; the payment is finished without the caller
 *   claimed, not sent         released, 503: the charge step sees that the wait has ended
 *
 * @keeps P9: nothing is sent for a caller whose wait has ended.
 */
export async function takePaymentWithin(
  deps: Deps,
  intent: Intent,
  waitMs: number,
): Promise<Reply> {
  const patience: Patience = {
    endsAtMs: deps.clock.monotonicMs() + waitMs,
    lease: null,
    sent: false,
  };
  const taking = takePayment(deps, { ...intent, patience });
  deps.background.add(taking);
  const answered = new AbortController();
  const waiting = deps.clock.sleep(waitMs, answered.signal).then(() => 'over' as const);
  const first = await Promise.race([taking, waiting]).finally(() => answered.abort());
  if (first !== 'over') return first;
  const { lease, sent } = patience;
  if (lease !== null) {
    const mayHaveMoved = sent || lease.unknownBefore;
    return mayHaveMoved ? pendingReply(lease.payment, 'running') : taking;
  }
  const detail = 'Your wait ended before anything was claimed or sent.';
  return problemReply({ code: 'overloaded', detail }, intent.requestId);
}
