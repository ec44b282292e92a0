import type { Deps } from './deps.js';
import type { Intent } from './intent.js';
import type { Lease } from './lease.js';
import { callProcessor } from './call-processor.js';
import { claimIntent } from './claim-intent.js';
import type { Claim } from './claim-key.js';
import { leaveUnknown } from './leave-unknown.js';
import { recordOutcome } from './record-outcome.js';
import { releaseKey } from './release-key.js';
import { type Reply, problemReply } from './reply.js';

/**
 * Take a payment: claim, charge, record.
 *
 *   claim    one transaction   the key and the pending payment exist; we hold the lease
 *   charge   no transaction    the processor is called under the key derived from the intent
 *   record   one transaction   payment, ledger, event and saved answer change together
 *
 * The worker, and a retry that finds an expired lease, enter at finishOperation. Captures, voids and refunds
 * differ in their claim; what follows is the same for all.
 */
export async function takePayment(deps: Deps, intent: Intent): Promise<Reply> {
  return answerClaim(deps, await claimIntent(deps, intent), intent.requestId);
}

export async function answerClaim(deps: Deps, claim: Claim, requestId: string): Promise<Reply> {
  switch (claim.kind) {
    case 'claimed':
      return finishOperation(deps, claim.lease);
    case 'answered':
    case 'queued':
      return claim.reply;
    case 'running':
      return problemReply({ code: 'idempotency_key_in_progress' }, requestId);
    case 'reused':
      return problemReply({ code: 'idempotency_key_reused' }, requestId);
    case 'refused':
      return problemReply(claim.problem, requestId);
  }
}

/** Calls and records under a lease, whoever took it. Safe to run twice, at once, late, or half. */
export async function finishOperation(deps: Deps, lease: Lease): Promise<Reply> {
  const outcome = await callProcessor(deps, lease);
  switch (outcome.kind) {
    case 'succeeded':
    case 'authorized':
    case 'accepted':
    case 'declined':
    case 'not_charged':
      return recordOutcome(deps, lease, outcome);
    case 'not_sent':
      return releaseKey(deps, lease, outcome); // 503: the key and its payment wait for their caller
    case 'unknown':
      return leaveUnknown(deps, lease, outcome); // 202: recovery finds out
  }
}
