import type { Db } from '#postgres/db.js';
import { violatedConstraint } from '#postgres/errors.js';
import type { Problem } from '#problems/problems.js';
import type { ProblemCode } from '#problems/registry.js';
import {
  BURY_KEY,
  CANCEL,
  type CancelableRow,
  FIND_CANCELABLE_BY_ID,
  FIND_CANCELABLE_BY_KEY,
} from './cancel.sql.js';
import { replayOf } from './claim-intent.js';
import { FIND_KEY, type WinnerColumns } from './claim.sql.js';
import { renderPayment } from './payment.js';
import { pendingPayment } from './read-pending.js';
import { JSON_TYPE, type Reply, okReply, problemReply } from './reply.js';

/** May use the database, and cannot call the processor: a cancel never sends anything by itself. */
export type CancelDeps = { db: Db };

/** A request to cancel one payment, under a key of its own. */
export type CancelIntent = {
  accountId: string;
  paymentId: string;
  requestId: string;
  operation: string;
  keyHash: Buffer;
  fingerprint: Buffer;
  fingerprintVersion: number;
  matches: (version: number, fingerprint: Buffer) => boolean;
};

/** A tombstone is a key row for ever: it counts against the limit on new keys. */
export type NewKeys = { refuse: () => Problem | null; claimed: () => void };

/** A lost race means reading again; each round somebody else has moved on. */
const ROUNDS_MAX = 5;

/**
 * Cancels a payment by its id, if nothing of it was sent. Racing with a worker that takes it up, exactly
 * one wins, and this answer says which.
 */
export async function cancelPayment({ db }: CancelDeps, intent: CancelIntent): Promise<Reply> {
  const { accountId, paymentId, keyHash, requestId } = intent;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const [own] = await db.run(FIND_KEY, [accountId, keyHash]);
    if (own) return answerOfOwnKey(own, intent);
    const [target] = await db.run(FIND_CANCELABLE_BY_ID, [accountId, paymentId]);
    if (!target) return problemReply({ code: 'payment_not_found' }, requestId);
    const refusal = refusalOf(target);
    if (refusal !== null) {
      // It may be our own twin, between the two looks, that canceled it.
      const [twin] = await db.run(FIND_KEY, [accountId, keyHash]);
      return twin ? answerOfOwnKey(twin, intent) : refused(refusal, target, requestId);
    }
    const reply = await cancelRow(db, accountId, target, intent);
    if (reply !== null) return reply;
  }
  return problemReply({ code: 'payment_in_progress', extra: { payment_id: paymentId } }, requestId);
}

/** What a request meets at its own key. Like a payment's, a canceled key says so first. */
function answerOfOwnKey(own: WinnerColumns, intent: CancelIntent): Reply {
  const extra = { payment_id: own.payment_id };
  if (own.state === 'canceled') {
    return problemReply({ code: 'idempotency_key_canceled', extra }, intent.requestId);
  }
  const same =
    own.operation === intent.operation && intent.matches(own.fingerprint_version, own.fingerprint);
  if (!same) {
    return problemReply({ code: 'idempotency_key_reused' }, intent.requestId);
  }
  if (own.answer_body !== null) return replayOf(own);
  return problemReply({ code: 'idempotency_key_expired', extra }, intent.requestId);
}

/**
 * Cancels whatever a key names: a payment of which nothing was sent, or, for a key that nobody has seen,
 * the request that may still be on its way. Again is the same.
 */
export async function cancelByKey(
  { db }: CancelDeps,
  asked: { accountId: string; keyHash: Buffer; requestId: string; newKeys: NewKeys },
): Promise<Reply> {
  const { accountId, keyHash, requestId } = asked;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const [target] = await db.run(FIND_CANCELABLE_BY_KEY, [accountId, keyHash]);
    if (!target) {
      const full = asked.newKeys.refuse();
      if (full !== null) return problemReply(full, requestId);
      const [buried] = await db.run(BURY_KEY, [accountId, keyHash, Buffer.alloc(32), 0, requestId]);
      if (buried) asked.newKeys.claimed();
      if (buried) return cancellation(null);
      const [other] = await db.run(FIND_KEY, [accountId, keyHash]);
      if (other && other.operation !== 'POST /v1/payments') {
        return problemReply({ code: 'payment_not_cancelable' }, requestId);
      }
      continue;
    }
    if (target.key_state === 'canceled') return cancellation(target.payment_id);
    const refusal = refusalOf(target);
    if (refusal !== null) return refused(refusal, target, requestId);
    const reply = await cancelRow(db, accountId, target, null);
    if (reply !== null) return cancellation(target.payment_id);
  }
  return problemReply({ code: 'payment_in_progress' }, requestId);
}

function refusalOf({ key_state: state }: CancelableRow): ProblemCode | null {
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
  own: CancelIntent | null,
): Promise<Reply | null> {
  const settledAt = target.now;
  const payment = { ...pendingPayment(accountId, target), status: 'canceled' as const, settledAt };
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
  return okReply(
    JSON.stringify({ object: 'cancellation', status: 'canceled', payment_id: paymentId }),
  );
}
