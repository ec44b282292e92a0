import type { Deps } from './deps.js';
import type { Lease } from './lease.js';
import { sendWindowMs } from './new-lease.js';
import { TAKE_UP, type TakenUpRow } from './take-up.sql.js';

/** May use the database, and cannot call the processor. */
export type TakeUpDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'terms'>;

export type Abandoned = {
  accountId: string;
  keyHash: Buffer;
  /** What the taker saw; the statement takes it up only if that still holds. */
  state: 'started' | 'released';
  ended: boolean;
  orderOnce: boolean;
  actor: 'request' | 'worker';
  requestId: string;
};

/** Takes the lease of abandoned or released work, or returns null if somebody else moved it first. */
export async function takeUp(deps: TakeUpDeps, work: Abandoned): Promise<Lease | null> {
  const token = deps.random.uuid();
  const monotonicMs = deps.clock.monotonicMs();
  const [row] = await deps.db.run(TAKE_UP, [
    work.accountId,
    work.keyHash,
    work.state,
    token,
    deps.terms.leaseMs,
    work.state === 'released' && work.ended,
    work.orderOnce,
    sendWindowMs(deps.terms),
    work.actor,
    work.requestId,
  ]);
  return row ? leaseOf(work, token, row, monotonicMs) : null;
}

function leaseOf(
  { accountId, keyHash, requestId }: Abandoned,
  token: string,
  row: TakenUpRow,
  monotonicMs: number,
): Lease {
  return {
    accountId,
    keyHash,
    token,
    operationId: row.operation_id,
    payment: {
      id: row.payment_id,
      accountId,
      status: 'pending',
      amount: Number(row.amount),
      amountCaptured: 0,
      amountRefunded: 0,
      amountDisputed: 0,
      currency: row.currency,
      paymentMethod: row.payment_method,
      orderId: row.order_id,
      description: row.description,
      metadata: row.metadata,
      capture: row.capture,
      failure: null,
      processorName: row.processor_name,
      processorId: null,
      createdAt: row.created_at,
      settledAt: null,
    },
    claimRequestId: row.claim_request_id,
    requestId,
    action: row.action,
    attemptNo: row.attempts_made,
    unknownBefore: row.unknown_before,
    sendUntilMs: row.send_until.getTime(),
    storedErrorAtMs: row.stored_error_at?.getTime() ?? null,
    waits: row.waits,
    tries: row.tries,
    inReview: row.in_review,
    processor: {
      name: row.processor_name,
      account: row.processor_account,
      key: row.processor_key,
      apiVersion: row.api_version,
      renderingVersion: row.rendering_version,
    },
    readAt: { databaseMs: row.now.getTime(), monotonicMs },
  };
}
