import { FIND_REVIEWED, READ_STANDING, type ReviewedRow } from '#operations/reviews.sql.js';
import type { Unknown } from '#processor/processor.js';
import type { Deps } from './deps.js';
import type { Act, Lease } from './lease.js';
import { leaveUnknown } from './leave-unknown.js';
import { type Found, lookUpAtProcessor } from './processor-calls.js';
import { recordOutcome } from './record-outcome.js';
import { finishOperation } from './take-payment.js';
import { takeUp } from './take-up.js';

/** One operation, and the operator who takes it in hand. */
export type Asked = {
  operationId: string;
  /** What is of the other mode is not there. */
  mode: 'test' | 'live';
  actor: string;
  reason: string;
  requestId: string;
};

export type Reviewed =
  | { kind: 'done'; accountId: string; paymentId: string }
  | { kind: 'not_found' } // no operation of this mode has the id
  | { kind: 'not_in_review' } // it is settled, or recovery still works on it
  | { kind: 'in_progress' } // somebody holds its lease
  | { kind: 'not_confirmed'; detail: string }; // the processor does not bear it out

/**
 * Looks an operation in review up once more, as recovery would, but now. It sends nothing; what it finds is
 * recorded like any other outcome.
 */
export async function lookUpReviewed(deps: Deps, asked: Asked): Promise<Reviewed> {
  return underLease(deps, asked, 'review.lookup', async (lease) => {
    await finishOperation(deps, lease);
    return null;
  });
}

/**
 * Settles an operation on a person's word that it happened. The word is not enough: what they name is read
 * back from the processor, and has to be this very operation.
 *
 * @keeps P2
 */
export async function resolveAsHappened(
  deps: Deps,
  asked: Asked,
  processorId: string,
): Promise<Reviewed> {
  return underLease(deps, asked, 'review.resolve', async (lease) => {
    const found = await readBack(deps, lease, processorId);
    if (isProof(found) && found.processorId === processorId) {
      await recordOutcome(deps, lease, found);
      return null;
    }
    const detail = `${processorId} was read back: ${wordsOf(found)}`;
    await leaveAsItWas(deps, lease, detail);
    return { kind: 'not_confirmed', detail };
  });
}

/**
 * Settles an operation on a person's word that it never happened, in the words of every other proof of that.
 * The processor is asked once more, and what it shows is stronger than the word.
 *
 * @keeps P2: a charge that the processor shows is never recorded as none.
 */
export async function resolveAsNotHappened(deps: Deps, asked: Asked): Promise<Reviewed> {
  return underLease(deps, asked, 'review.resolve', async (lease) => {
    const found = await readBack(deps, lease, null);
    if (isProof(found)) {
      const detail = `the processor shows it as ${found.processorId}`;
      await leaveAsItWas(deps, lease, detail);
      return { kind: 'not_confirmed', detail };
    }
    const why = 'a person has looked into it, and found that it did not happen';
    await recordOutcome(deps, lease, { kind: 'not_charged', why, code: 'not_made' });
    return null;
  });
}

/** Takes the lease of what lies in review, for one deed, and says what became of it. */
async function underLease(
  deps: Deps,
  asked: Asked,
  action: string,
  deed: (lease: Lease) => Promise<Reviewed | null>,
): Promise<Reviewed> {
  const found = await find(deps, asked);
  if (found === null) return { kind: 'not_found' };
  if (!found.in_review) return { kind: 'not_in_review' };
  const lease = await takeUp(deps, {
    accountId: found.account_id,
    keyHash: found.key_hash,
    state: 'started',
    ended: false,
    orderOnce: false, // whatever holds the order's slot: what happened is recorded
    actor: 'operator',
    requestId: asked.requestId,
    lookOnly: true,
  });
  if (lease === null) return whatOthersDid(deps, asked);
  const act = await actOf(deps, lease, asked, action);
  const refused = await deed({ ...lease, act });
  if (refused !== null) return refused;
  if (!act.done) return whatOthersDid(deps, asked);
  return { kind: 'done', accountId: found.account_id, paymentId: found.payment_id };
}

async function find({ db }: Deps, { mode, operationId }: Asked): Promise<ReviewedRow | null> {
  const [found] = await db.run(FIND_REVIEWED, [mode, operationId]);
  return found ?? null;
}

/** Nothing was done under our lease: somebody else was faster, or is at it. */
async function whatOthersDid(deps: Deps, asked: Asked): Promise<Reviewed> {
  const now = await find(deps, asked);
  return now?.in_review ? { kind: 'in_progress' } : { kind: 'not_in_review' };
}

async function actOf({ db }: Deps, lease: Lease, asked: Asked, action: string): Promise<Act> {
  const [row] = await db.run(READ_STANDING, [lease.accountId, lease.operationId]);
  if (!row) throw new Error('Bug: an operation under lease is not there');
  const { actor, reason } = asked;
  return { actor, action, reason, before: row.standing, done: false };
}

type Proof = Extract<Found, { kind: 'succeeded' | 'authorized' | 'accepted' }>;

function isProof(found: Found): found is Proof {
  return found.kind === 'succeeded' || found.kind === 'authorized' || found.kind === 'accepted';
}

/** Under a name, or by our own reference. What answers is held against the operation by the adapter. */
async function readBack(
  { processor, terms, log }: Deps,
  lease: Lease,
  processorId: string | null,
): Promise<Found> {
  const { processorTimeoutMs: timeoutMs } = terms;
  const named = processorId === null ? lease : { ...lease, knownAs: processorId };
  try {
    return await lookUpAtProcessor(processor, named, { timeoutMs });
  } catch (error) {
    log.critical('processor_call_failed', {
      operation_id: lease.operationId,
      error: error instanceof Error ? error.stack : String(error),
    });
    return unknown('the call to the processor failed on our side');
  }
}

function wordsOf(found: Found): string {
  switch (found.kind) {
    case 'succeeded':
    case 'authorized':
    case 'accepted':
      return `the operation is ${found.processorId}`;
    case 'not_found':
      return 'nothing of this operation is there';
    case 'declined':
      return `it was declined (${found.declineCode})`;
    case 'not_sent':
      return 'the processor could not be asked';
    case 'unknown':
    case 'conflict':
      return found.detail;
  }
}

/** Ends the run without the deed: the operation stays in review, with one look-up more. */
async function leaveAsItWas(
  deps: Deps,
  { act: _act, ...lease }: Lease,
  detail: string,
): Promise<void> {
  await leaveUnknown(deps, lease, unknown(detail));
}

function unknown(detail: string): Unknown {
  return {
    kind: 'unknown',
    reason: 'not_found',
    storedError: false,
    counts: false,
    detail,
    retryAfterSeconds: null,
  };
}
