import type { PaymentFound } from '#processor/processor.js';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import { claimInternal, internalKeyHash } from './claim-internal.js';
import { FIND_TARGET, type TargetRow } from './claim-step.sql.js';
import type { Deps } from './deps.js';
import type { About, Verdict } from './news.js';
import { finishOperation } from './take-payment.js';
import { takeUpToLook } from './take-up-for-news.js';
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
const BUSY: Verdict = { kind: 'wait', reason: 'somebody is working on its payment' };

async function voidThere(deps: Deps, about: About, requestId: string): Promise<Verdict> {
  const claim = await queueVoid(deps, { ...about, requestId });
  if (claim.kind === 'moved') return MOVED;
  return claim.kind === 'busy' ? BUSY : lookUp(deps, about, claim.keyHash, requestId);
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
  const processorKey = deriveProcessorKey(accountId, 'capture', words);
  const claim = await claimInternal(deps, {
    kind: 'capture',
    accountId,
    target,
    processorKey,
    amount,
    reason: null,
    breakId: null,
    requestId,
  });
  if (claim === 'moved') return MOVED;
  return claim === 'busy' ? BUSY : lookUp(deps, about, internalKeyHash(processorKey), requestId);
}

/** Takes the queued operation up, asks what became of it, and records that. */
async function lookUp(
  deps: Deps,
  { accountId }: About,
  keyHash: Buffer,
  requestId: string,
): Promise<Verdict> {
  const work = { accountId, keyHash, state: 'queued', ended: false, requestId } as const;
  const lease = await takeUpToLook(deps, work);
  if (lease !== null) await finishOperation(deps, lease);
  // The event comes back, finds the payment final, and is compared with what was recorded.
  return { kind: 'wait', reason: 'what the processor says of it is being recorded' };
}
