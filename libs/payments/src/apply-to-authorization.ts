import type { PaymentFound } from '#processor/processor.js';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import { FIND_STEP_UNDER_WAY } from './apply-event.sql.js';
import { claimInternal } from './claim-internal.js';
import { FIND_TARGET, type TargetRow } from './claim-step.sql.js';
import type { Deps } from './deps.js';
import type { About, Verdict } from './news.js';
import { isRecovering } from './recovery.js';
import { finishOperation } from './take-payment.js';
import { takeUpForNews } from './take-up-for-news.js';
import { queueVoid } from './void-authorization.js';

/**
 * News of a payment that is authorized here. The payment is read back, and what the processor says has become of it
 * goes through an operation of ours that is only looked up: a void for one that is canceled there, a capture
 * for one that is captured. An event's word alone ends no authorization, and nothing is sent.
 *
 * @keeps P5
 */
export async function applyToAuthorization(
  deps: Deps,
  about: About,
  requestId: string,
): Promise<Verdict> {
  const { accountId, paymentId } = about;
  // It may be the step of a caller whose key was lost: the import records it under that key.
  if (await isRecovering(deps.db))
    return { kind: 'wait', reason: 'what was lost is imported first' };
  const [target] = await deps.db.run(FIND_TARGET, [accountId, paymentId]);
  if (target?.status !== 'authorized' || target.processor_id === null) return MOVED;
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const found = await deps.processor.readPayment(target.processor_id, { timeoutMs });
  if (found.kind !== 'found') return { kind: 'wait', reason: `read back: ${found.kind}` };
  switch (found.status) {
    case 'canceled':
      return voidThere(deps, about, requestId);
    case 'succeeded':
      return capturedThere(deps, about, target, found, requestId);
    default:
      return { kind: 'applied', reason: `read back: it is still ${found.status}`, about };
  }
}

const MOVED: Verdict = { kind: 'wait', reason: 'its payment has moved while it was read back' };

async function voidThere(deps: Deps, about: About, requestId: string): Promise<Verdict> {
  const claim = await queueVoid(deps, { ...about, requestId });
  return claim.kind === 'moved' ? MOVED : lookUp(deps, about, requestId);
}

async function capturedThere(
  deps: Deps,
  about: About,
  target: TargetRow,
  { processorId, amountReceived: amount }: PaymentFound,
  requestId: string,
): Promise<Verdict> {
  const { accountId } = about;
  const words = `${target.charge_key} ${processorId}`;
  const claim = await claimInternal(deps, {
    kind: 'capture',
    accountId,
    target,
    processorKey: deriveProcessorKey(accountId, 'capture', words),
    amount,
    reason: null,
    breakId: null,
    requestId,
  });
  return claim === 'moved' ? MOVED : lookUp(deps, about, requestId);
}

/**
 * Takes up the step of the payment that is under way, asks what became of it, and records that. It may be a caller's
 * that nobody knows the end of, also one that a person was asked about: this news is what settles it.
 */
async function lookUp(
  deps: Deps,
  { accountId, paymentId }: About,
  requestId: string,
): Promise<Verdict> {
  const [step] = await deps.db.run(FIND_STEP_UNDER_WAY, [accountId, paymentId]);
  const lease = step ? await takeUpForNews(deps, accountId, step, requestId) : null;
  if (lease === null) return { kind: 'wait', reason: 'somebody is working on its payment' };
  await finishOperation(deps, lease);
  // The event comes back, finds the payment final, and is compared with what was recorded.
  return { kind: 'wait', reason: 'what the processor says of it is being recorded' };
}
