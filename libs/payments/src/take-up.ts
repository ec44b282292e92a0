import type { Deps } from './deps.js';
import type { Lease } from './lease.js';
import { runMaySendUntilMs, sendWindowMs } from './new-lease.js';
import { paymentFrom } from './payment.sql.js';
import { refundFrom } from './refund.sql.js';
import { TAKE_UP, type TakenUpRow } from './take-up.sql.js';

/** May use the database, and cannot call the processor. */
export type TakeUpDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'terms' | 'instance'>;

export type Abandoned = {
  accountId: string;
  keyHash: Buffer;
  /** What the taker saw; the statement takes it up only if that still holds. */
  state: 'started' | 'released' | 'queued';
  ended: boolean;
  /** An owner that is presumed dead: its lease need not be over. */
  deadOwner?: number;
  /** For a reader: ask the processor, send nothing. */
  lookOnly?: boolean;
  /** Not if a call of it was made within the last second. */
  onceASecond?: boolean;
  /** Its caller gives up released work before the key's end. */
  giveUp?: boolean;
  orderOnce: boolean;
  actor: 'request' | 'worker' | 'operator';
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
    work.state !== 'started' && work.ended,
    work.orderOnce,
    sendWindowMs(deps.terms),
    work.actor,
    work.requestId,
    deps.instance.id,
    work.deadOwner ?? null,
    work.lookOnly ?? false,
    work.giveUp ?? false,
    work.onceASecond ?? false,
  ]);
  return row ? leaseOf(deps, work, token, row, monotonicMs) : null;
}

type Taker = Pick<Abandoned, 'accountId' | 'keyHash' | 'requestId' | 'lookOnly' | 'giveUp'>;

/** A lease from the row that tells of it. `monotonicMs` was read before the statement was sent. */
export function leaseOf(
  { terms }: Pick<Deps, 'terms'>,
  work: Taker,
  token: string,
  row: TakenUpRow,
  monotonicMs: number,
): Lease {
  return {
    accountId: work.accountId,
    keyHash: work.keyHash,
    token,
    operationId: row.operation_id,
    operation: operationOf(row),
    payment: paymentFrom(work.accountId, row),
    refund: row.refund_id === null ? null : refundFrom(work.accountId, row),
    knownAs: null,
    claimRequestId: row.claim_request_id,
    requestId: work.requestId,
    action: row.action,
    givenUp: work.giveUp ?? false,
    attemptNo: row.attempts_made,
    unknownBefore: row.unknown_before,
    sendUntilMs: runMaySendUntilMs(terms, row.send_until.getTime()),
    storedErrorAtMs: row.stored_error_at?.getTime() ?? null,
    waits: row.waits,
    tries: row.tries,
    inReview: row.in_review,
    queued: row.queued,
    byReader: work.lookOnly ?? false,
    patience: null,
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

function operationOf(row: TakenUpRow): Lease['operation'] {
  const { kind } = row;
  if (kind === 'charge') return { kind };
  if (row.target_id === null || row.charge_key === null) {
    throw new Error(`Bug: the ${kind} ${row.operation_id} acts on nothing`);
  }
  const amount = Number(row.operation_amount);
  return { kind, amount, targetId: row.target_id, chargeKey: row.charge_key };
}
