import { deriveProcessorKey } from '#idempotency/processor-key.js';
import type { ClaimStepRow, TargetRow } from './claim-step.sql.js';
import type { Deps } from './deps.js';
import type { StepIntent } from './intent.js';
import type { Lease } from './lease.js';
import { FIRST_RUN, runMaySendUntilMs, sendWindowMs } from './new-lease.js';
import { paymentFrom } from './payment.sql.js';

type Parts = Pick<Deps, 'processor' | 'terms' | 'instance'>;

/** What only operations without a caller have. */
export type Internal = { breakId: string | null };

/** The parameters of CLAIM_STEP; those of CLAIM_REFUND are the same and two more. */
export function stepValues(
  { processor, terms, instance }: Parts,
  intent: StepIntent,
  target: TargetRow,
  token: string,
  internal: Internal | null = null,
): unknown[] {
  const { kind, verdict } = intent;
  const asked = verdict.kind === 'accepted' ? verdict : null;
  const values = [
    intent.account.id,
    intent.keyHash,
    intent.operation,
    intent.fingerprint,
    intent.fingerprintVersion,
    terms.leaseMs,
    token,
    intent.requestId,
    terms.answersDays,
    instance.id,
    intent.paymentId,
    kind,
    asked?.amount ?? null,
    target.processor_name,
    target.processor_account,
    processorKey(intent, target),
    processor.apiVersion,
    processor.renderingVersions[kind],
    target.processor_id,
    sendWindowMs(terms),
    internal !== null,
  ];
  return kind === 'refund' ? [...values, asked?.reason ?? null, internal?.breakId ?? null] : values;
}

/**
 * A void has one key at the processor whoever asks for it, until one has ended: two triggers at once meet in
 * it. A void that was refused may be asked for again.
 */
export function voidKey(accountId: string, target: TargetRow): string {
  const { charge_key, processor_id, voids_ended } = target;
  return deriveProcessorKey(accountId, 'void', `${charge_key} ${processor_id} ${voids_ended}`);
}

function processorKey(intent: StepIntent, target: TargetRow): string {
  return intent.processorKey ?? voidKey(intent.account.id, target);
}

/** The lease of a claim that was just made. `monotonicMs` was read before the statement was sent. */
export function newStepLease(
  { processor, terms }: Parts,
  intent: StepIntent,
  target: TargetRow,
  token: string,
  row: ClaimStepRow,
  monotonicMs: number,
): Lease {
  const { kind, verdict, account } = intent;
  if (row.claimed_at_now === null || row.claimed_operation_id === null) {
    throw new Error('Bug: a claim without its row');
  }
  const claimedAtMs = row.claimed_at_now.getTime();
  const amount = Number(row.claimed_amount);
  return {
    accountId: account.id,
    keyHash: intent.keyHash,
    token,
    operationId: row.claimed_operation_id,
    operation: {
      kind,
      amount,
      targetId: target.processor_id ?? '',
      chargeKey: target.charge_key,
    },
    payment: paymentFrom(account.id, target),
    refund:
      kind !== 'refund'
        ? null
        : {
            id: row.claimed_refund_id ?? '',
            accountId: account.id,
            paymentId: target.payment_id,
            status: 'pending',
            amount,
            currency: target.currency,
            reason: verdict.kind === 'accepted' ? verdict.reason : null,
            failure: null,
            breakId: null,
            processorId: null,
            createdAt: row.claimed_at_now,
            settledAt: null,
          },
    ...FIRST_RUN,
    claimRequestId: intent.requestId,
    requestId: intent.requestId,
    sendUntilMs: runMaySendUntilMs(terms, claimedAtMs + sendWindowMs(terms)),
    patience: intent.patience ?? null,
    processor: {
      name: target.processor_name,
      account: target.processor_account,
      key: processorKey(intent, target),
      apiVersion: processor.apiVersion,
      renderingVersion: processor.renderingVersions[kind],
    },
    readAt: { databaseMs: claimedAtMs, monotonicMs },
  };
}
