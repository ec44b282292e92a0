import type { Lease } from './lease.js';
import { settleCharge } from './settle-charge.js';
import { settleRefund } from './settle-refund.js';
import { settleStep } from './settle-step.js';
import type { FinalOutcome, Settlement } from './settlement.js';

/**
 * Renders an outcome into everything that is recorded of it. A pure function of lease, outcome and instant,
 * and the only renderer: request, worker and whoever else records produce the same bytes.
 *
 * @keeps P3
 */
export function settle(lease: Lease, outcome: FinalOutcome, settledAt: Date): Settlement {
  switch (lease.operation.kind) {
    case 'charge':
      return settleCharge(lease, outcome, settledAt);
    case 'capture':
    case 'void':
      return settleStep(lease, lease.operation.kind, outcome, settledAt);
    case 'refund':
      return settleRefund(lease, outcome, settledAt);
  }
}
