import { claimInternal, internalKeyHash } from './claim-internal.js';
import { FIND_TARGET, type TargetRow } from './claim-step.sql.js';
import type { Deps } from './deps.js';
import { voidKey } from './new-step-lease.js';
import type { Reply } from './reply.js';
import { finishOperation } from './take-payment.js';
import { takeUp } from './take-up.js';

type Asked = { accountId: string; paymentId: string; requestId: string };

export type VoidClaim =
  | { kind: 'queued' | 'there'; keyHash: Buffer }
  | { kind: 'busy'; by: 'capture' | 'void' | null }
  | { kind: 'moved' };

/** Queues the void of an authorization that no caller's key stands for. Any number of triggers make one. */
export async function queueVoid(deps: Deps, asked: Asked): Promise<VoidClaim> {
  const { accountId, paymentId, requestId } = asked;
  const [target] = await deps.db.run(FIND_TARGET, [accountId, paymentId]);
  if (target?.status !== 'authorized') return { kind: 'moved' };
  const processorKey = voidKey(accountId, target);
  const kind = await claimInternal(deps, { ...STEP, accountId, target, processorKey, requestId });
  if (kind === 'busy') return { kind, by: await stepUnderWay(deps, accountId, paymentId) };
  return kind === 'moved' ? { kind } : { kind, keyHash: internalKeyHash(processorKey) };
}

const STEP = { kind: 'void', amount: null, reason: null, breakId: null } as const;

async function stepUnderWay(
  { db }: Deps,
  accountId: string,
  paymentId: string,
): Promise<TargetRow['step_kind']> {
  const [target] = await db.run(FIND_TARGET, [accountId, paymentId]);
  return target?.step_kind ?? null;
}

/** Makes a queued void at once, for somebody who waits; null if a worker has it already. */
export async function runQueuedVoid(
  deps: Deps,
  { accountId, requestId }: Asked,
  keyHash: Buffer,
): Promise<Reply | null> {
  const lease = await takeUp(deps, {
    accountId,
    keyHash,
    state: 'queued',
    ended: false,
    orderOnce: false,
    actor: 'request',
    requestId,
  });
  return lease === null ? null : finishOperation(deps, lease);
}
