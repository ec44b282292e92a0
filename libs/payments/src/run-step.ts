import { claimStep } from './claim-step.js';
import type { Deps } from './deps.js';
import type { StepIntent } from './intent.js';
import type { Reply } from './reply.js';
import { answerClaim } from './take-payment.js';

/** Captures, voids or refunds a payment: claim, call, record, as for a charge. */
export async function runStep(deps: Deps, intent: StepIntent): Promise<Reply> {
  return answerClaim(deps, await claimStep(deps, intent), intent.requestId);
}
