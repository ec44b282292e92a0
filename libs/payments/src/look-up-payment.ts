import type { Deps } from './deps.js';
import { FIND_LOOKABLE } from './queue.sql.js';
import { finishOperation } from './take-payment.js';
import { takeUp } from './take-up.js';

/**
 * Asks the processor about an unresolved payment before somebody reads or refunds it: one look-up at a
 * time, and at most one a second. It sends nothing, counts no try and moves no due time of recovery. What
 * it learns is recorded like any other outcome; what goes wrong is left to recovery.
 */
export async function lookUpPayment(
  deps: Deps,
  accountId: string,
  paymentId: string,
  requestId: string,
  operationId: string | null = null,
): Promise<void> {
  try {
    const [found] = await deps.db.run(FIND_LOOKABLE, [accountId, paymentId, operationId]);
    if (!found) return;
    const lease = await takeUp(deps, {
      accountId,
      keyHash: found.key_hash,
      state: 'started',
      ended: false,
      orderOnce: false,
      actor: 'request',
      requestId,
      lookOnly: true,
      onceASecond: true,
    });
    if (lease !== null) await finishOperation(deps, lease);
  } catch (error) {
    deps.log.warning('look_up_failed', { payment_id: paymentId, error: String(error) });
  }
}
