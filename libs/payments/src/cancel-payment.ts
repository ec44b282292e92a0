import type { Db } from '#postgres/db.js';
import { violatedConstraint } from '#postgres/errors.js';
import type { Problem } from '#problems/problems.js';
import type { ProblemCode } from '#problems/registry.js';
import {
  BURY_KEY,
  CANCEL,
  type CancelableByKeyRow,
  type CancelableRow,
  FIND_CANCELABLE_BY_ID,
  FIND_CANCELABLE_BY_KEY,
} from './cancel.sql.js';
import { endedClaim } from './claim-key.js';
import { FIND_KEY, type WinnerColumns } from './claim.sql.js';
import { FIND_IMPORTED } from './bind.sql.js';
import { renderPayment } from './payment.js';
import { paymentFrom } from './payment.sql.js';
import type { Deps } from './deps.js';
import type { StepIntent } from './intent.js';
import {
  JSON_TYPE,
  PENDING_RETRY_AFTER_SECONDS,
  type Reply,
  okReply,
  problemReply,
} from './reply.js';
import { runStep } from './run-step.js';
import { answerClaim, finishOperation } from './take-payment.js';
import { takeUp } from './take-up.js';
import { queueVoid, runQueuedVoid } from './void-authorization.js';

/** A tombstone is a key row for ever: it counts against the limit on new keys. */
export type NewKeys = { refuse: () => Problem | null; claimed: () => void };

/** A lost race means reading again; each round somebody else has moved on. */
const ROUNDS_MAX = 5;

/**
 * Cancels a payment by its id: at once if nothing of it was sent, by a void if it is authorized. Racing with a
 * worker that takes it up, or with a capture, exactly one wins, and this answer says which.
 */
export async function cancelPayment(deps: Deps, intent: StepIntent): Promise<Reply> {
  const { db } = deps;
  const { account, paymentId, keyHash, requestId } = intent;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const [own] = await db.run(FIND_KEY, [account.id, keyHash]);
    if (own) {
      const ended = endedClaim(intent, own);
      // Else it is a void of ours that has not ended.
      return ended === null ? runStep(deps, intent) : answerClaim(deps, ended, requestId);
    }
    const [target] = await db.run(FIND_CANCELABLE_BY_ID, [account.id, paymentId]);
    if (!target) return problemReply({ code: 'payment_not_found' }, requestId);
    if (target.status === 'authorized') return runStep(deps, intent);
    const refusal = refusalOf(target);
    if (refusal !== null) {
      // It may be our own twin, between the two looks, that canceled it.
      const [twin] = await db.run(FIND_KEY, [account.id, keyHash]);
      if (twin) continue;
      return refused(refusal, target, requestId);
    }
    const reply = await cancelRow(db, account.id, target, intent);
    if (reply !== null) return reply;
  }
  return problemReply({ code: 'payment_in_progress', extra: { payment_id: paymentId } }, requestId);
}

type AskedByKey = {
  accountId: string;
  keyHash: Buffer;
  /** The key that a charge under this one has at the processor. */
  processorKey: string;
  requestId: string;
  newKeys: NewKeys;
};

/**
 * Cancels whatever a key names: a payment of which nothing was sent, an authorization, a capture, void or refund
 * that was never sent, or, for a key that nobody has seen, the request that may still be on its way. Again is
 * the same.
 */
export async function cancelByKey(deps: Deps, asked: AskedByKey): Promise<Reply> {
  const { accountId, keyHash, requestId } = asked;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const [target] = await deps.db.run(FIND_CANCELABLE_BY_KEY, [accountId, keyHash]);
    const reply = target ? await cancelTarget(deps, asked, target) : await cancelOther(deps, asked);
    if (reply !== null) return reply;
  }
  return problemReply({ code: 'payment_in_progress' }, requestId);
}

/** Null if somebody else moved it first. */
async function cancelTarget(
  deps: Deps,
  { accountId, requestId }: AskedByKey,
  target: CancelableByKeyRow,
): Promise<Reply | null> {
  const paymentId = target.payment_id;
  if (paymentId === null || target.key_state === 'canceled' || target.status === 'canceled') {
    return cancellation(paymentId);
  }
  if (target.status === 'authorized') return voidByKey(deps, { accountId, paymentId, requestId });
  const payment = { ...target, payment_id: paymentId };
  const refusal = refusalOf(target);
  if (refusal !== null) return refused(refusal, payment, requestId);
  const reply = await cancelRow(deps.db, accountId, payment, null);
  return reply === null ? null : cancellation(paymentId);
}

/** An unseen key gets its tombstone; one of a capture, void or refund is given up if nothing of it was sent. */
async function cancelOther(deps: Deps, asked: AskedByKey): Promise<Reply | null> {
  const { accountId, keyHash, processorKey, requestId } = asked;
  const [other] = await deps.db.run(FIND_KEY, [accountId, keyHash]);
  if (other) return giveUp(deps, asked, other);
  const full = asked.newKeys.refuse();
  if (full !== null) return problemReply(full, requestId);
  const [row] = await deps.db.run(BURY_KEY, [
    accountId,
    keyHash,
    Buffer.alloc(32),
    0,
    requestId,
    processorKey,
  ]);
  if (row?.hold === 'recovering') return problemReply({ code: 'recovering' }, requestId);
  if (row?.hold === 'imported') return cancelImported(deps, asked);
  if (!row?.buried) return null;
  asked.newKeys.claimed();
  return cancellation(null);
}

/** A restore had lost the key, and its charge was imported: what is canceled is that payment. */
async function cancelImported(deps: Deps, asked: AskedByKey): Promise<Reply | null> {
  const { accountId, processorKey } = asked;
  const [imported] = await deps.db.run(FIND_IMPORTED, [accountId, processorKey]);
  if (!imported) return null;
  const values = [accountId, imported.payment_id];
  const [target] = await deps.db.run(FIND_CANCELABLE_BY_ID, values);
  return target ? cancelTarget(deps, asked, target) : null;
}

async function giveUp(
  deps: Deps,
  { accountId, keyHash, requestId }: AskedByKey,
  other: WinnerColumns,
): Promise<Reply | null> {
  if (other.operation === 'POST /v1/payments') return null; // it came between two looks
  const extra = { payment_id: other.payment_id };
  if (other.state === 'started')
    return problemReply({ code: 'payment_in_progress', extra }, requestId);
  if (other.state !== 'released') {
    return problemReply({ code: 'payment_not_cancelable', extra }, requestId);
  }
  const lease = await takeUp(deps, {
    accountId,
    keyHash,
    state: 'released',
    ended: false,
    giveUp: true,
    orderOnce: false,
    actor: 'request',
    requestId,
  });
  if (lease === null) return null;
  const ended = await finishOperation(deps, lease);
  return ended.status === 402 ? cancellation(other.payment_id) : cancellationRuns(other.payment_id);
}

/** Voids an authorization without a key of its own: any number of these requests make one void. */
async function voidByKey(
  deps: Deps,
  asked: { accountId: string; paymentId: string; requestId: string },
): Promise<Reply | null> {
  const { paymentId, requestId } = asked;
  const claim = await queueVoid(deps, asked);
  switch (claim.kind) {
    case 'moved':
      return null;
    case 'busy': {
      const extra = { payment_id: paymentId };
      return claim.by === 'void'
        ? cancellationRuns(paymentId)
        : problemReply({ code: 'payment_in_progress', extra }, requestId);
    }
    default: {
      const reply = await runQueuedVoid(deps, asked, claim.keyHash);
      if (reply?.status === 200) return cancellation(paymentId);
      return reply?.status === 402 ? reply : cancellationRuns(paymentId);
    }
  }
}

function refusalOf({ key_state: state }: Pick<CancelableRow, 'key_state'>): ProblemCode | null {
  if (state === 'queued' || state === 'released') return null;
  return state === 'started' ? 'payment_in_progress' : 'payment_not_cancelable';
}

function refused(code: ProblemCode, target: CancelableRow, requestId: string): Reply {
  return problemReply({ code, extra: { payment_id: target.payment_id } }, requestId);
}

/** Null if somebody else moved the payment, or took our key, first. */
async function cancelRow(
  db: Db,
  accountId: string,
  target: CancelableRow,
  own: StepIntent | null,
): Promise<Reply | null> {
  const settledAt = target.now;
  const payment = { ...paymentFrom(accountId, target), status: 'canceled' as const, settledAt };
  const text = JSON.stringify(renderPayment(payment, null));
  const values = [
    accountId,
    target.key_hash,
    own?.keyHash ?? null,
    own?.operation ?? null,
    own?.fingerprint ?? null,
    own?.fingerprintVersion ?? null,
    own?.requestId ?? null,
    settledAt,
    text,
    JSON_TYPE,
    Buffer.from(text),
  ];
  try {
    const [row] = await db.run(CANCEL, values);
    return row ? okReply(text) : null;
  } catch (error) {
    if (violatedConstraint(error) === 'idempotency_keys_pkey') return null;
    throw error;
  }
}

function cancellation(paymentId: string | null): Reply {
  return okReply(cancellationText('canceled', paymentId));
}

/** A void is under way. */
function cancellationRuns(paymentId: string | null): Reply {
  const text = cancellationText('pending', paymentId);
  return { ...okReply(text), status: 202, retryAfterSeconds: PENDING_RETRY_AFTER_SECONDS };
}

function cancellationText(status: 'canceled' | 'pending', paymentId: string | null): string {
  return JSON.stringify({ object: 'cancellation', status, payment_id: paymentId });
}
