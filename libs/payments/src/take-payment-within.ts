import type { Deps } from './deps.js';
import type { Intent } from './intent.js';
import type { Patience } from './lease.js';
import { type Reply, problemReply, unsettledReply } from './reply.js';
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
export function takePaymentWithin(deps: Deps, intent: Intent, waitMs: number): Taking {
  const patience: Patience = {
    endsAtMs: deps.clock.monotonicMs() + waitMs,
    lease: null,
    sent: false,
  };
  const work = takePayment(deps, { ...intent, patience });
  return { work, reply: firstAnswer(deps, intent, patience, { work, waitMs }) };
}

/** The work on a payment, and the answer to its caller, who may hear one before the work has ended. */
export type Taking = { work: Promise<Reply>; reply: Promise<Reply> };

async function firstAnswer(
  { clock }: Deps,
  intent: Intent,
  patience: Patience,
  { work, waitMs }: { work: Promise<Reply>; waitMs: number },
): Promise<Reply> {
  const answered = new AbortController();
  const waiting = clock.sleep(waitMs, answered.signal).then(() => 'over' as const);
  const first = await Promise.race([work, waiting]).finally(() => answered.abort());
  if (first !== 'over') return first;
  const { lease, sent } = patience;
  if (lease !== null) {
    const mayHaveMoved = sent || lease.unknownBefore;
    return mayHaveMoved ? unsettledReply(lease, 'running') : work;
  }
  const detail = 'Your wait ended before anything was claimed or sent.';
  return problemReply({ code: 'overloaded', detail }, intent.requestId);
}
