import {
  AUTHORIZATION_BUSY,
  TAKE_DUE_AUTHORIZATIONS,
  WAIT_FOR_EXPIRY,
} from './authorizations.sql.js';
import { FIND_TARGET, type TargetRow } from './claim-step.sql.js';
import type { Deps } from './deps.js';
import { voidKey } from './new-step-lease.js';
import { queueVoid } from './void-authorization.js';

const BATCH_MAX = 20;

export type AuthorizationPass = {
  /** Voids that were queued. */
  voided: number;
  more: boolean;
};

/**
 * One pass over authorizations that have expired, or that a refused capture put in doubt. The clock cancels
 * nothing: an expired one is voided at the processor, one in doubt is looked up, and only its word moves the
 * payment.
 *
 * @keeps P5
 */
export async function sweepAuthorizations(
  deps: Deps,
  requestId: string,
): Promise<AuthorizationPass> {
  const due = await deps.db.run(TAKE_DUE_AUTHORIZATIONS, [BATCH_MAX]);
  const voided = await Promise.all(due.map((item) => workOn(deps, item, requestId)));
  return { voided: voided.filter(Boolean).length, more: due.length >= BATCH_MAX };
}

type Due = { account_id: string; payment_id: string; expired: boolean };

async function workOn(deps: Deps, due: Due, requestId: string): Promise<boolean> {
  const asked = { accountId: due.account_id, paymentId: due.payment_id, requestId };
  try {
    if (!due.expired && !(await isGone(deps, due))) return false;
    const claim = await queueVoid(deps, asked);
    if (claim.kind === 'busy') {
      await deps.db.run(AUTHORIZATION_BUSY, [due.account_id, due.payment_id]);
    }
    return claim.kind === 'queued';
  } catch (error) {
    deps.log.warning('authorization_sweep_failed', {
      payment_id: due.payment_id,
      error: String(error),
    });
    return false; // it comes due again
  }
}

/** Whether the processor says that there is nothing left to capture. */
async function isGone(deps: Deps, due: Due): Promise<boolean> {
  const [target] = await deps.db.run(FIND_TARGET, [due.account_id, due.payment_id]);
  if (target?.status !== 'authorized' || target.processor_id === null) return false;
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const request = requestOf(deps, due.account_id, target, target.processor_id);
  const found = await deps.processor.lookUpVoid(request, { timeoutMs });
  if (found.kind === 'not_found') {
    await deps.db.run(WAIT_FOR_EXPIRY, [due.account_id, due.payment_id]);
  }
  return found.kind === 'succeeded';
}

function requestOf({ processor }: Deps, accountId: string, target: TargetRow, targetId: string) {
  return {
    processorKey: voidKey(accountId, target),
    accountId,
    targetId,
    chargeKey: target.charge_key,
    amount: Number(target.amount),
    currency: target.currency,
    apiVersion: processor.apiVersion,
    renderingVersion: processor.renderingVersions.void,
  };
}
