import type { Deps } from './deps.js';
import type { Patience } from './lease.js';
import { type Reply, problemReply, unsettledReply } from './reply.js';

/** Work under a key, and the answer to its caller, who may hear one before the work has ended. */
export type Work = { work: Promise<Reply>; reply: Promise<Reply> };

/**
 * Works for a caller who waits so long and no longer (`Prefer: wait=N`). When the wait ends:
 *
 *   nothing claimed yet       503; should the claim still come, it is released unsent
 *   claimed, perhaps sent     202; the work is finished without the caller
 *   claimed, not sent         released, 503: the step that calls the processor sees that the wait has ended
 *
 * @keeps P9: nothing is sent for a caller whose wait has ended.
 */
export function workWithin(
  deps: Pick<Deps, 'clock'>,
  { waitMs, requestId }: { waitMs: number; requestId: string },
  start: (patience: Patience) => Promise<Reply>,
): Work {
  const patience: Patience = {
    endsAtMs: deps.clock.monotonicMs() + waitMs,
    lease: null,
    sent: false,
  };
  const work = start(patience);
  return { work, reply: firstAnswer(deps, { waitMs, requestId, patience, work }) };
}

async function firstAnswer(
  { clock }: Pick<Deps, 'clock'>,
  asked: { waitMs: number; requestId: string; patience: Patience; work: Promise<Reply> },
): Promise<Reply> {
  const { work, patience } = asked;
  const answered = new AbortController();
  const waiting = clock.sleep(asked.waitMs, answered.signal).then(() => 'over' as const);
  const first = await Promise.race([work, waiting]).finally(() => answered.abort());
  if (first !== 'over') return first;
  const { lease, sent } = patience;
  if (lease !== null) {
    const mayHaveMoved = sent || lease.unknownBefore;
    return mayHaveMoved ? unsettledReply(lease, 'running') : work;
  }
  const detail = 'Your wait ended before anything was claimed or sent.';
  return problemReply({ code: 'overloaded', detail }, asked.requestId);
}
