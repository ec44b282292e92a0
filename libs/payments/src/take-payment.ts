import type { Deps } from './deps.js';
import type { Intent } from './intent.js';
import type { Lease } from './lease.js';
import { chargeProcessor } from './charge-processor.js';
import { claimIntent } from './claim-intent.js';
import { leaveUnknown } from './leave-unknown.js';
import { recordOutcome } from './record-outcome.js';
import { releaseKey } from './release-key.js';
import { type Reply, pendingReply, problemReply } from './reply.js';

/**
 * Take a payment: claim, charge, record.
 *
 *   claim    one transaction   the key and the pending payment exist; we hold the lease
 *   charge   no transaction    the processor is called under the key derived from the intent
 *   record   one transaction   payment, ledger, event and saved answer change together
 *
 * The worker, and a retry that finds an expired lease, enter at finishPayment.
 */
export async function takePayment(deps: Deps, intent: Intent): Promise<Reply> {
  const claim = await claimIntent(deps, intent);
  switch (claim.kind) {
    case 'claimed':
      return finishPayment(deps, claim.lease);
    case 'answered':
      return claim.reply;
    case 'running':
      return problemReply({ code: 'idempotency_key_in_progress' }, intent.requestId);
    case 'queued':
      return pendingReply(claim.payment, 'queued');
    case 'reused':
      return problemReply({ code: 'idempotency_key_reused' }, intent.requestId);
    case 'refused':
      return problemReply(claim.problem, intent.requestId);
  }
}

/** Charges and records under a lease, whoever took it. Safe to run twice, at once, late, or half. */
export async function finishPayment(deps: Deps, lease: Lease): Promise<Reply> {
  const outcome = await chargeProcessor(deps, lease);
  switch (outcome.kind) {
    case 'succeeded':
    case 'declined':
    case 'not_charged':
      return recordOutcome(deps, lease, outcome);
    case 'not_sent':
      return releaseKey(deps, lease, outcome); // 503: the key and its payment wait for their caller
    case 'unknown':
      return leaveUnknown(deps, lease, outcome); // 202: recovery finds out
  }
}
