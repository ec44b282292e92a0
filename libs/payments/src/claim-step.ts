import { violatedConstraint } from '#postgres/errors.js';
import { bindImported } from './bind-imported.js';
import { FIND_IMPORTED } from './bind.sql.js';
import {
  type Claim,
  type Claiming,
  MOVED,
  type Moved,
  claimKey,
  orWinner,
  runClaim,
} from './claim-key.js';
import {
  CLAIM_REFUND,
  CLAIM_STEP,
  type ClaimStepRow,
  FIND_TARGET,
  type TargetRow,
} from './claim-step.sql.js';
import type { WinnerColumns } from './claim.sql.js';
import type { Deps } from './deps.js';
import type { StepIntent } from './intent.js';
import { judgeRefund, judgeTarget } from './judge-target.js';
import type { Lease } from './lease.js';
import { lookUpPayment } from './look-up-payment.js';
import { newStepLease, stepValues, voidKey } from './new-step-lease.js';
import type { Hold } from './recovery.sql.js';
import { pendingReply } from './reply.js';
import { paymentFrom } from './payment.sql.js';
import { leaseOf } from './take-up.js';
import { FIND_LEASE } from './take-up.sql.js';

/**
 * Claims the key of a capture, a void or a refund: the first of its intent, a retry, or a misuse of the key.
 * An unresolved payment is looked up first. May ask the processor, and sends nothing.
 */
export async function claimStep(deps: Deps, intent: StepIntent): Promise<Claim> {
  let target: TargetRow | null = null;
  const { verdict } = intent;
  const claiming: Claiming = {
    refuse: async () => {
      if (verdict.kind === 'refused') return verdict.problem;
      target = await findTarget(deps, intent);
      const problem = judgeTarget(intent.kind, target, verdict);
      if (problem === null || target === null) return problem;
      // What was imported has been done: its retry is answered from that, whatever the payment has become.
      return (await isImported(deps, intent)) ? null : problem;
    },
    insert: (token) => {
      if (verdict.kind === 'refused' || target === null)
        throw new Error('Bug: a refused request claims');
      return insertStep(deps, intent, target, token);
    },
    refusalOf: (error) => refusalOf(deps, intent, error),
    claimed: () => claimed(intent),
    queued: (winner) => queued(deps, intent, winner),
    enqueue: null,
  };
  return claimKey(deps, intent, claiming);
}

/** The payment as it is now. One whose charge is unknown is asked for at the processor before. */
async function findTarget(deps: Deps, intent: StepIntent): Promise<TargetRow | null> {
  const read = async () =>
    (await deps.db.run(FIND_TARGET, [intent.account.id, intent.paymentId]))[0] ?? null;
  const target = await read();
  if (target?.status !== 'pending') return target;
  await lookUpPayment(deps, intent.account.id, intent.paymentId, intent.requestId);
  return read();
}

async function insertStep(
  deps: Deps,
  intent: StepIntent,
  target: TargetRow,
  token: string,
): ReturnType<Claiming['insert']> {
  const monotonicMs = deps.clock.monotonicMs();
  const statement = intent.kind === 'refund' ? CLAIM_REFUND : CLAIM_STEP;
  const [row] = await runClaim<ClaimStepRow>(
    deps,
    statement,
    stepValues(deps, intent, target, token),
  );
  if (row?.claimed_operation_id) {
    claimed(intent);
    return {
      kind: 'claimed',
      lease: newStepLease(deps, intent, target, token, row, monotonicMs),
    };
  }
  if (!row?.state) return held(deps, intent, target, row?.hold ?? null);
  const winner = row as WinnerColumns;
  const own = winner.running && winner.lease_token === token;
  const lease = own ? await ownLease(deps, intent, token, monotonicMs) : null;
  if (lease === null) return { kind: 'winner', winner };
  claimed(intent);
  return { kind: 'claimed', lease };
}

async function isImported({ db }: Deps, { account, processorKey }: StepIntent): Promise<boolean> {
  if (processorKey === null) return false;
  return (await db.run(FIND_IMPORTED, [account.id, processorKey])).length > 0;
}

/** The key is unseen, and not ours: it may not be claimed now, or never, or somebody did so meanwhile. */
async function held(
  deps: Deps,
  intent: StepIntent,
  target: TargetRow,
  hold: Hold | null,
): ReturnType<Claiming['insert']> {
  if (hold === 'recovering') return { kind: 'refused', problem: { code: 'recovering' } };
  if (hold === null || intent.verdict.kind === 'refused') return { kind: 'winner', winner: null };
  const { kind, paymentId, verdict } = intent;
  const processorKey = intent.processorKey ?? voidKey(intent.account.id, target);
  const { amount, currency, reason } = verdict;
  const asked = { kind, processorKey, amount, currency, order: null, paymentId, reason } as const;
  return orWinner(await bindImported(deps, intent, asked));
}

function claimed({ verdict }: StepIntent): void {
  if (verdict.kind === 'accepted') verdict.claimed();
}

/** The lease of a claim whose acknowledgement was lost, recognised by its own token. */
async function ownLease(
  deps: Deps,
  { account, keyHash, requestId, patience }: StepIntent,
  token: string,
  monotonicMs: number,
): Promise<Lease | null> {
  const [row] = await deps.db.run(FIND_LEASE, [account.id, keyHash, token]);
  if (!row) return null;
  const work = { accountId: account.id, keyHash, requestId };
  return { ...leaseOf(deps, work, token, row, monotonicMs), patience: patience ?? null };
}

/** The statement was undone as a whole, so this key is as it was: what stood in its way is read anew. */
async function refusalOf(
  deps: Deps,
  intent: StepIntent,
  error: unknown,
): Promise<Claim | Moved | null> {
  switch (violatedConstraint(error)) {
    case 'payment_steps_one_at_a_time': {
      const extra = { payment_id: intent.paymentId };
      return { kind: 'refused', problem: { code: 'payment_in_progress', extra } };
    }
    case 'payments_authorized':
    case 'payments_succeeded':
      return MOVED;
    case 'payments_refunds_within_captured':
    case 'refunds_amount':
    case 'operations_amount': {
      const problem = await noRoom(deps, intent);
      return problem === null ? MOVED : { kind: 'refused', problem };
    }
    default:
      return null;
  }
}

async function noRoom({ db }: Deps, { account, paymentId, verdict }: StepIntent) {
  const [target] = await db.run(FIND_TARGET, [account.id, paymentId]);
  const amount = verdict.kind === 'accepted' ? verdict.amount : null;
  return target ? judgeRefund(target, amount) : null;
}

/** Its caller's key is never queued, but an operation that somebody else queued may stand under it. */
async function queued(
  { db }: Deps,
  { account, kind }: StepIntent,
  winner: WinnerColumns,
): Promise<Claim | Moved> {
  const [row] = await db.run(FIND_TARGET, [account.id, winner.payment_id]);
  if (!row || kind === 'refund') return MOVED;
  const payment = paymentFrom(account.id, row);
  return { kind: 'queued', reply: pendingReply(payment, `${kind}_queued`) };
}
