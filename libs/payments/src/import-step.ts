import { deriveProcessorKey } from '#idempotency/processor-key.js';
import { FIND_OPERATION } from './apply-event.sql.js';
import { type InternalStep, intentOf } from './claim-internal.js';
import { FIND_TARGET, IMPORT_REFUND, IMPORT_STEP, type TargetRow } from './claim-step.sql.js';
import type { Deps } from './deps.js';
import { sentBySomebody } from './import-terms.js';
import { stepValues, voidKey } from './new-step-lease.js';
import { finishOperation } from './take-payment.js';
import { takeUpForNews } from './take-up-for-news.js';

/** The keys that a payment's capture and void were sent under, as far as events tell. */
export type StepKeys = { capture?: string; void?: string };

export type FoundStep = {
  kind: InternalStep['kind'];
  accountId: string;
  paymentId: string;
  /** Null where nobody tells: then it is derived from the payment, as for what happens without a caller. */
  processorKey: string | null;
  /** Minor units; null is all that there is. */
  amount: number | null;
  /** The processor's id of what was found, where it has one of its own. */
  knownAs?: string;
  requestId: string;
};

/**
 * A capture, void or refund that the processor shows. One that has an operation here is settled through it;
 * any other becomes one that was sent, and is only looked up. A rule of the database may refuse it.
 */
export async function importStep(deps: Deps, found: FoundStep): Promise<'imported' | 'settled'> {
  const { accountId, paymentId } = found;
  const [target] = await deps.db.run(FIND_TARGET, [accountId, paymentId]);
  if (!target) throw new Error('Bug: a step of a payment that is not here');
  const processorKey = found.processorKey ?? keyOf(found, target);
  const known = await settleOperation(deps, found, processorKey);
  if (known) return 'settled';
  const { kind, amount, requestId } = found;
  const step = { kind, accountId, target, processorKey, amount, reason: null, breakId: null };
  const sent = { ...deps, terms: sentBySomebody(deps.terms) };
  const values = stepValues(sent, intentOf({ ...step, requestId }), target, deps.random.uuid());
  const [row] = await deps.db.run(kind === 'refund' ? IMPORT_REFUND : IMPORT_STEP, values);
  await settleOperation(deps, found, processorKey);
  return row?.claimed_operation_id ? 'imported' : 'settled';
}

function keyOf({ kind, accountId }: FoundStep, target: TargetRow): string {
  if (kind === 'void') return voidKey(accountId, target);
  return deriveProcessorKey(accountId, kind, `${target.charge_key} ${target.processor_id}`);
}

/** Asks the processor about an operation of ours, as recovery would. False: there is none. */
async function settleOperation(
  deps: Deps,
  { accountId, knownAs, requestId }: FoundStep,
  processorKey: string,
): Promise<boolean> {
  const { name } = deps.processor;
  const [operation] = await deps.db.run(FIND_OPERATION, [accountId, processorKey, name]);
  if (!operation) return false;
  const lease = await takeUpForNews(deps, accountId, operation, requestId);
  if (lease !== null) await finishOperation(deps, { ...lease, knownAs: knownAs ?? null });
  return true;
}
