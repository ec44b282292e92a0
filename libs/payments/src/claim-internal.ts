import { hashKey } from '#idempotency/processor-key.js';
import { violatedConstraint } from '#postgres/errors.js';
import { CLAIM_REFUND, CLAIM_STEP, type TargetRow } from './claim-step.sql.js';
import type { Deps } from './deps.js';
import type { StepIntent } from './intent.js';
import { stepValues } from './new-step-lease.js';

/** A capture, void or refund that no caller's key stands for: by expiry, by policy, by an operator, by news. */
export type InternalStep = {
  kind: StepIntent['kind'];
  accountId: string;
  target: TargetRow;
  /** Derived from the payment's derived key and the processor's object, so that two triggers meet in one operation. */
  processorKey: string;
  /** Minor units; null is all that there is. */
  amount: number | null;
  reason: string | null;
  /** The break whose money in suspense a refund gives back. */
  breakId: string | null;
  requestId: string;
};

/**
 * Queues it for a worker, once: `there` says that it was queued before, whatever has become of it since. `busy`:
 * another step of the payment is under way; `moved`: the payment is no longer what the caller saw.
 *
 * @keeps P1: its key row is a function of the operation, so any number of triggers make one.
 */
export async function claimInternal(
  deps: Deps,
  step: InternalStep,
): Promise<'queued' | 'there' | 'busy' | 'moved'> {
  const intent = intentOf(step);
  const statement = step.kind === 'refund' ? CLAIM_REFUND : CLAIM_STEP;
  const { breakId } = step;
  try {
    const values = stepValues(deps, intent, step.target, deps.random.uuid(), { breakId });
    const [row] = await deps.db.run(statement, values);
    return row?.claimed_operation_id ? 'queued' : 'there';
  } catch (error) {
    switch (violatedConstraint(error)) {
      case 'payment_steps_one_at_a_time':
        return 'busy';
      case 'payments_authorized':
      case 'payments_succeeded':
      case 'payments_refunds_within_captured':
      case 'refunds_amount':
      case 'operations_amount':
        return 'moved';
      default:
        throw error;
    }
  }
}

/** No caller's key hashes to it: those are printable. */
export function internalKeyHash(processorKey: string): Buffer {
  return hashKey(`\u0000internal ${processorKey}`);
}

/** It as if somebody had asked for it. */
export function intentOf(step: InternalStep): StepIntent {
  return {
    account: { id: step.accountId, orderOnce: false },
    requestId: step.requestId,
    operation: `internal ${step.kind}`,
    keyHash: internalKeyHash(step.processorKey),
    fingerprint: Buffer.alloc(32),
    fingerprintVersion: 0,
    matches: () => false,
    kind: step.kind,
    paymentId: step.target.payment_id,
    processorKey: step.processorKey,
    verdict: {
      kind: 'accepted',
      amount: step.amount,
      currency: null,
      reason: step.reason,
      claimed: () => {},
    },
  };
}
