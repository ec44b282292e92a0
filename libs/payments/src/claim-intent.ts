import { failpoint, failpointsArmed } from '#seams/failpoints.js';
import { StatementUnconfirmed, isWorthRepeating, violatedConstraint } from '#postgres/errors.js';
import type { Problem } from '#problems/problems.js';
import {
  CLAIM,
  type ClaimRow,
  FIND_KEY,
  FIND_SLOT_HOLDER,
  type WinnerColumns,
} from './claim.sql.js';
import type { Deps } from './deps.js';
import type { Accepted, Intent } from './intent.js';
import type { Lease } from './lease.js';
import { type OwnClaim, claimValues, newLease, ownLease } from './new-lease.js';
import type { Payment } from './payment.js';
import { readPending } from './read-pending.js';
import type { Reply } from './reply.js';
import { ENQUEUE } from './queue.sql.js';
import { type TakeUpDeps, takeUp } from './take-up.js';

export type Claim =
  | { kind: 'claimed'; lease: Lease } // ours to charge: unseen until now, or left by somebody
  | { kind: 'answered'; reply: Reply } // finished: the saved bytes
  | { kind: 'running' } // somebody holds the lease
  | { kind: 'queued'; payment: Payment } // a worker will charge it
  | { kind: 'reused' } // the key belongs to another request
  | { kind: 'refused'; problem: Problem }; // its answer expired, its order is taken, or it breaks a rule

/** May use the database, and cannot call the processor. */
export type ClaimDeps = TakeUpDeps & Pick<Deps, 'processor'>;

/** Somebody else moved the key or the slot between two statements. */
type Moved = { kind: 'moved' };
const MOVED: Moved = { kind: 'moved' };

/** Losing a race means reading again; each round, somebody else has moved the key on. */
const ROUNDS_MAX = 5;

/**
 * Decides what this request is: the first of its intent, a retry, or a misuse of the key.
 * A request that breaks a rule or a limit is refused only if its key is unseen.
 * Throws DatabaseUnavailable; nothing was charged then, and nothing will be without a retry.
 *
 * @keeps P1: whoever does not win the insert never charges without taking the lease.
 */
export async function claimIntent(deps: ClaimDeps, intent: Intent): Promise<Claim> {
  const token = deps.random.uuid();
  const { verdict } = intent;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const claim =
      verdict.kind === 'accepted'
        ? await insertClaim(deps, intent, verdict, token)
        : await readWinner(deps, intent, verdict.problem);
    if (claim.kind === 'moved') continue;
    // From here on the payment is finished even if its caller's patience ends.
    if (claim.kind === 'claimed' && intent.patience) intent.patience.lease = claim.lease;
    await failpoint('c3');
    return claim;
  }
  return { kind: 'running' };
}

/** The claim itself, in one round trip. A lost acknowledgement is asked for again under the same token. */
async function insertClaim(
  deps: ClaimDeps,
  intent: Intent,
  verdict: Accepted,
  token: string,
): Promise<Claim | Moved> {
  const monotonicMs = deps.clock.monotonicMs();
  const values = claimValues(deps, intent, verdict, token);
  return unlessTaken(deps, intent, async () => {
    const [row] = await runClaim(deps, values);
    const own = row?.claimed_payment_id ? (row as OwnClaim) : null;
    if (own !== null) verdict.claimed();
    if (own !== null && intent.queue) {
      return {
        kind: 'queued',
        payment: newLease(deps, intent, verdict, token, own, monotonicMs).payment,
      };
    }
    if (own !== null) {
      return { kind: 'claimed', lease: newLease(deps, intent, verdict, token, own, monotonicMs) };
    }
    if (!row?.state) return MOVED; // its winner committed while we waited: not in our snapshot
    const winner = row as WinnerColumns;
    if (winner.running && winner.lease_token === token) {
      verdict.claimed();
      return { kind: 'claimed', lease: ownLease(deps, intent, verdict, winner, monotonicMs) };
    }
    return decide(deps, intent, winner);
  });
}

/** Runs the claim; again, once, if it was not confirmed: our own token then tells that it had been committed. */
async function runClaim({ db }: ClaimDeps, values: unknown[]): Promise<ClaimRow[]> {
  const sent = failpointsArmed ? () => failpoint('c2') : undefined;
  try {
    return await db.run(CLAIM, values, sent);
  } catch (error) {
    if (!(error instanceof StatementUnconfirmed) && !isWorthRepeating(error)) throw error;
    return db.run(CLAIM, values);
  }
}

/** For a request that may not claim: only an unseen key lets its problem through. */
async function readWinner(
  deps: ClaimDeps,
  intent: Intent,
  problem: Problem,
): Promise<Claim | Moved> {
  const [winner] = await deps.db.run(FIND_KEY, [intent.account.id, intent.keyHash]);
  return winner ? decide(deps, intent, winner) : { kind: 'refused', problem };
}

/** What a request meets at a key that exists. The fingerprint comes first: another request learns nothing. */
async function decide(
  deps: ClaimDeps,
  intent: Intent,
  winner: WinnerColumns,
): Promise<Claim | Moved> {
  if (winner.state === 'canceled') return canceled(winner); // whatever the body
  if (!isSameRequest(intent, winner)) return { kind: 'reused' };
  switch (winner.state) {
    case 'finished':
      return answered(winner);
    case 'started':
      return winner.running ? { kind: 'running' } : resume(deps, intent, 'started', false);
    case 'released':
      if (winner.ended) return resume(deps, intent, 'released', true);
      if (intent.verdict.kind === 'refused')
        return { kind: 'refused', problem: intent.verdict.problem };
      return intent.queue
        ? unlessTaken(deps, intent, () => enqueue(deps, intent, winner))
        : resume(deps, intent, 'released', false);
    case 'queued':
      return queued(deps, intent.account.id, winner);
  }
}

function isSameRequest(intent: Intent, winner: WinnerColumns): boolean {
  return (
    winner.operation === intent.operation &&
    intent.matches(winner.fingerprint_version, winner.fingerprint)
  );
}

/** The saved answer as it was; or, once its partition is gone, the fact that there was one. */
function answered(winner: WinnerColumns): Claim {
  if (winner.answer_body === null || winner.answer_status === null) {
    const extra = { payment_id: winner.payment_id };
    return { kind: 'refused', problem: { code: 'idempotency_key_expired', extra } };
  }
  return { kind: 'answered', reply: replayOf(winner) };
}

/** @keeps P3: status, bytes, type and Location of a replay are those that were saved. */
export function replayOf(winner: WinnerColumns): Reply {
  return {
    status: winner.answer_status ?? 500,
    contentType: winner.answer_content_type ?? '',
    location: winner.answer_location,
    body: winner.answer_body ?? Buffer.alloc(0),
    retryAfterSeconds: null,
    originalRequest: winner.request_id,
  };
}

/** Rendered from the identity row, so it is said for ever. */
function canceled(winner: WinnerColumns): Claim {
  const extra = { payment_id: winner.payment_id };
  return { kind: 'refused', problem: { code: 'idempotency_key_canceled', extra } };
}

/** Queued is queued, however the caller would rather have it now. */
async function queued(
  deps: ClaimDeps,
  accountId: string,
  winner: WinnerColumns,
): Promise<Claim | Moved> {
  const payment = await readPending(deps.db, accountId, winner.payment_id);
  return payment === null ? MOVED : { kind: 'queued', payment };
}

/** A released key that its caller would rather have queued. */
async function enqueue(
  deps: ClaimDeps,
  intent: Intent,
  winner: WinnerColumns,
): Promise<Claim | Moved> {
  const { account, keyHash } = intent;
  const [row] = await deps.db.run(ENQUEUE, [account.id, keyHash, account.orderOnce]);
  if (!row) return MOVED;
  if (intent.verdict.kind === 'accepted') intent.verdict.claimed();
  return queued(deps, account.id, winner);
}

async function resume(
  deps: ClaimDeps,
  intent: Intent,
  state: 'started' | 'released',
  ended: boolean,
): Promise<Claim | Moved> {
  const { account, keyHash, requestId } = intent;
  return unlessTaken(deps, intent, async () => {
    const lease = await takeUp(deps, {
      accountId: account.id,
      keyHash,
      state,
      ended,
      orderOnce: account.orderOnce,
      actor: 'request',
      requestId,
    });
    if (lease === null) return MOVED;
    if (state === 'released' && intent.verdict.kind === 'accepted') intent.verdict.claimed();
    return {
      kind: 'claimed',
      lease: { ...lease, patience: intent.patience ?? null },
    };
  });
}

/** Runs a statement that takes an order's slot; a slot that is taken undid it as a whole. */
async function unlessTaken(
  deps: ClaimDeps,
  intent: Intent,
  work: () => Promise<Claim | Moved>,
): Promise<Claim | Moved> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'order_slots_one_live_payment') throw error;
    const orderId = intent.verdict.kind === 'accepted' ? intent.verdict.order.orderId : null;
    return orderTaken(deps, intent.account.id, orderId);
  }
}

/** The statement was undone as a whole, so this key is as it was. A holder that has gone meanwhile: again. */
async function orderTaken(
  deps: ClaimDeps,
  accountId: string,
  orderId: string | null,
): Promise<Claim | Moved> {
  const [holder] = await deps.db.run(FIND_SLOT_HOLDER, [accountId, orderId]);
  if (!holder) return MOVED;
  const code = holder.status === 'succeeded' ? 'order_already_paid' : 'payment_unresolved';
  return { kind: 'refused', problem: { code, extra: { payment_id: holder.payment_id } } };
}
