import { violatedConstraint } from '#postgres/errors.js';
import { bindImported } from './bind-imported.js';
import {
  type Claim,
  type ClaimDeps,
  type Claiming,
  MOVED,
  type Moved,
  claimKey,
  orWinner,
  runClaim,
} from './claim-key.js';
import { CLAIM, FIND_SLOT_HOLDER, type WinnerColumns } from './claim.sql.js';
import type { Accepted, Intent } from './intent.js';
import { type OwnClaim, claimValues, newLease, ownLease } from './new-lease.js';
import type { Hold } from './recovery.sql.js';
import { ENQUEUE } from './queue.sql.js';
import { readPending } from './read-pending.js';
import { pendingReply } from './reply.js';

/** Claims the key of a payment: the first of its intent, a retry, or a misuse of the key. */
export function claimIntent(deps: ClaimDeps, intent: Intent): Promise<Claim> {
  const { verdict } = intent;
  const isAccepted = verdict.kind === 'accepted';
  const claiming: Claiming = {
    refuse: () => Promise.resolve(isAccepted ? null : verdict.problem),
    insert: (token) => {
      if (!isAccepted) throw new Error('Bug: a refused request claims');
      return insertCharge(deps, intent, verdict, token);
    },
    refusalOf: (error) => orderTaken(deps, intent, error),
    claimed: () => isAccepted && verdict.claimed(),
    queued: (winner) => queued(deps, intent.account.id, winner),
    enqueue: intent.queue ? (winner) => enqueue(deps, intent, winner) : null,
  };
  return claimKey(deps, intent, claiming);
}

/** The claim itself, in one round trip. A lost acknowledgement is asked for again under the same token. */
async function insertCharge(
  deps: ClaimDeps,
  intent: Intent,
  verdict: Accepted,
  token: string,
): ReturnType<Claiming['insert']> {
  const monotonicMs = deps.clock.monotonicMs();
  const [row] = await runClaim(deps, CLAIM, claimValues(deps, intent, verdict, token));
  const own = row?.claimed_payment_id ? (row as OwnClaim) : null;
  if (own !== null) {
    verdict.claimed();
    const lease = newLease(deps, intent, verdict, token, own, monotonicMs);
    return intent.queue
      ? { kind: 'queued', reply: pendingReply(lease.payment, 'queued') }
      : { kind: 'claimed', lease };
  }
  if (!row?.state) return held(deps, intent, verdict, row?.hold ?? null);
  const winner = row as WinnerColumns;
  if (winner.running && winner.lease_token === token) {
    verdict.claimed();
    return { kind: 'claimed', lease: ownLease(deps, intent, verdict, winner, monotonicMs) };
  }
  return { kind: 'winner', winner };
}

/** The key is unseen, and not ours: it may not be claimed now, or never, or somebody did so meanwhile. */
async function held(
  deps: ClaimDeps,
  intent: Intent,
  { order }: Accepted,
  hold: Hold | null,
): ReturnType<Claiming['insert']> {
  if (hold === 'recovering') return { kind: 'refused', problem: { code: 'recovering' } };
  if (hold === null) return { kind: 'winner', winner: null };
  const { processorKey } = intent;
  const { amount, currency } = order;
  const asked = { kind: 'charge', processorKey, amount, currency, order, paymentId: null } as const;
  return orWinner(await bindImported(deps, intent, asked));
}

/** Queued is queued, however the caller would rather have it now. */
async function queued(
  deps: ClaimDeps,
  accountId: string,
  winner: WinnerColumns,
): Promise<Claim | Moved> {
  const payment = await readPending(deps.db, accountId, winner.payment_id);
  return payment === null ? MOVED : { kind: 'queued', reply: pendingReply(payment, 'queued') };
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

/** The statement was undone as a whole, so this key is as it was. A holder that has gone meanwhile: again. */
async function orderTaken(
  deps: ClaimDeps,
  { account, verdict }: Intent,
  error: unknown,
): Promise<Claim | Moved | null> {
  if (violatedConstraint(error) !== 'order_slots_one_live_payment') return null;
  const orderId = verdict.kind === 'accepted' ? verdict.order.orderId : null;
  const [holder] = await deps.db.run(FIND_SLOT_HOLDER, [account.id, orderId]);
  if (!holder) return MOVED;
  const isTaken = holder.status === 'succeeded' || holder.status === 'authorized';
  const code = isTaken ? 'order_already_paid' : 'payment_unresolved';
  return { kind: 'refused', problem: { code, extra: { payment_id: holder.payment_id } } };
}
