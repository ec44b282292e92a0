import { ENTRY_KINDS } from '#ledger/entry-kinds.js';
import {
  type InvariantPass,
  type Violation,
  checkInvariants,
  newInvariantWatch,
} from '#operations/check-invariants.js';
import type { Core } from '#platform/core.js';
import type { SweepPlan } from './sweep.js';

const PAUSE_MS = 10_000;
const KINDS = Object.entries(ENTRY_KINDS).map(([kind, accounts]) => ({ kind, ...accounts }));

/**
 * Checks a bounded number of payments against their own rows, in production too. Silent while all is well; whatever
 * is not wakes somebody, once for as long as it lasts. It never asks for another pass at once: it has time.
 */
export function invariantSweep({ deps, log }: Core): SweepPlan {
  const watch = newInvariantWatch();
  let untold = 0;
  return {
    name: 'invariants',
    pauseMs: PAUSE_MS,
    runOnce: async () => {
      const pass = await checkInvariants(deps.db, watch, KINDS);
      tell(log, pass);
      // So many at once are one fault: it is said again only after it was over.
      if (pass.untold > 0 && untold === 0) {
        log.critical('invariants_violated_widely', { told: watch.size, untold: pass.untold });
      }
      untold = pass.untold;
      return 'done';
    },
  };
}

function tell(log: Core['log'], { news, restored }: InvariantPass): void {
  for (const violation of news) log.critical('invariant_violated', factsOf(violation));
  for (const violation of restored) log.info('invariant_restored', factsOf(violation));
}

function factsOf(violation: Violation): Record<string, unknown> {
  return {
    invariant: violation.invariant,
    account_id: violation.accountId,
    payment_id: violation.paymentId,
    operation_id: violation.operationId,
    claim_id: violation.claimId,
    found: violation.found,
  };
}
