import { failpoint, failpointsArmed } from '#seams/failpoints.js';
import { StatementUnconfirmed, isWorthRepeating } from '#postgres/errors.js';
import type { Statement } from '#postgres/statement.js';
import type { Problem } from '#problems/problems.js';
import { FIND_KEY, type WinnerColumns } from './claim.sql.js';
import type { Deps } from './deps.js';
import type { KeyedRequest } from './intent.js';
import type { Lease } from './lease.js';
import type { Reply } from './reply.js';
import { type TakeUpDeps, takeUp } from './take-up.js';

export type Claim =
  | { kind: 'claimed'; lease: Lease } // ours to work on: unseen until now, or left by somebody
  | { kind: 'answered'; reply: Reply } // finished: the saved bytes
  | { kind: 'running' } // somebody holds the lease
  | { kind: 'queued'; reply: Reply } // a worker will do it
  | { kind: 'reused' } // the key belongs to another request
  | { kind: 'refused'; problem: Problem }; // its answer expired, its place is taken, or it breaks a rule

/** May use the database, and cannot send anything to the processor. */
export type ClaimDeps = TakeUpDeps & Pick<Deps, 'processor' | 'log'>;

/** Somebody else moved the key, or what it needs, between two statements. */
export type Moved = { kind: 'moved' };
export const MOVED: Moved = { kind: 'moved' };

/** What differs between the kinds of operations when their keys are claimed. */
export type Claiming = {
  /** Why it may not be claimed now; told only if the key is unseen or released. */
  refuse: () => Promise<Problem | null>;
  /** Inserts the claim under this token: our own claim, or the winner as it stands, or null where it was not visible. */
  insert: (token: string) => Promise<Claim | { kind: 'winner'; winner: WinnerColumns | null }>;
  /** What a statement that was undone by a rule of the database means; null for any other error. */
  refusalOf: (error: unknown) => Promise<Claim | Moved | null>;
  /** This request has begun work of its own. */
  claimed: () => void;
  /** The answer while a worker is to do it. */
  queued: (winner: WinnerColumns) => Promise<Claim | Moved>;
  /** For a caller who would rather have released work queued. */
  enqueue: ((winner: WinnerColumns) => Promise<Claim | Moved>) | null;
};

/** Losing a race means reading again; each round, somebody else has moved the key on. */
const ROUNDS_MAX = 5;

/**
 * Decides what this request is: the first of its intent, a retry, or a misuse of the key.
 * A request that breaks a rule or a limit is refused only if its key is unseen.
 * Throws DatabaseUnavailable; nothing was sent then, and nothing will be without a retry.
 *
 * @keeps P1: whoever does not win the insert never sends without taking the lease.
 */
export async function claimKey(
  deps: ClaimDeps,
  request: KeyedRequest,
  claiming: Claiming,
): Promise<Claim> {
  const token = deps.random.uuid();
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const problem = await claiming.refuse();
    const claim =
      problem === null
        ? await insertClaim(deps, request, claiming, token)
        : await readWinner(deps, request, claiming, problem);
    if (claim.kind === 'moved') continue;
    // From here on the work is finished even if its caller's patience ends.
    if (claim.kind === 'claimed' && request.patience) request.patience.lease = claim.lease;
    await failpoint('c3');
    return claim;
  }
  return { kind: 'running' };
}

/** For `insert`: who moved is read as the winner, once it can be seen. */
export function orWinner(claim: Claim | Moved): Claim | { kind: 'winner'; winner: null } {
  return claim.kind === 'moved' ? { kind: 'winner', winner: null } : claim;
}

function insertClaim(
  deps: ClaimDeps,
  request: KeyedRequest,
  claiming: Claiming,
  token: string,
): Promise<Claim | Moved> {
  return unlessRefused(claiming, async () => {
    const claim = await claiming.insert(token);
    if (claim.kind !== 'winner') return claim;
    if (claim.winner === null) return MOVED; // it committed while we waited: not in our snapshot
    return decide(deps, request, claiming, claim.winner, null);
  });
}

/**
 * Runs a claim; again, once, if it was not confirmed: our own token then tells that it had been committed. One that the
 * server has rolled back because of others, as it may at stricter levels than ours, is run again while they go on.
 */
export async function runClaim<Row>(
  { db }: Pick<Deps, 'db'>,
  statement: Statement<Row>,
  values: unknown[],
): Promise<Row[]> {
  const sent = failpointsArmed ? () => failpoint('c2') : undefined;
  for (let run = 1; ; run++) {
    try {
      return await db.run(statement, values, run === 1 ? sent : undefined);
    } catch (error) {
      if (run >= runsOf(error)) throw error;
    }
  }
}

function runsOf(error: unknown): number {
  if (isWorthRepeating(error)) return 4;
  return error instanceof StatementUnconfirmed ? 2 : 1;
}

/** For a request that may not claim: only an unseen key lets its problem through. */
async function readWinner(
  deps: ClaimDeps,
  request: KeyedRequest,
  claiming: Claiming,
  problem: Problem,
): Promise<Claim | Moved> {
  const [winner] = await deps.db.run(FIND_KEY, [request.account.id, request.keyHash]);
  return winner ? decide(deps, request, claiming, winner, problem) : { kind: 'refused', problem };
}

/** What a request meets at a key that exists. The fingerprint comes first: another request learns nothing. */
async function decide(
  deps: ClaimDeps,
  request: KeyedRequest,
  claiming: Claiming,
  winner: WinnerColumns,
  problem: Problem | null,
): Promise<Claim | Moved> {
  const ended = endedClaim(request, winner);
  if (ended !== null) return ended;
  switch (winner.state) {
    case 'started':
      if (winner.running) return { kind: 'running' };
      return resume(deps, request, claiming, 'started', { lookOnly: winner.recovering });
    case 'released':
      if (winner.ended) return resume(deps, request, claiming, 'released', { ended: true });
      if (winner.recovering) return { kind: 'refused', problem: { code: 'recovering' } };
      if (problem !== null) return { kind: 'refused', problem };
      return claiming.enqueue === null
        ? resume(deps, request, claiming, 'released', {})
        : unlessRefused(claiming, () => claiming.enqueue?.(winner) ?? Promise.resolve(MOVED));
    default:
      return claiming.queued(winner);
  }
}

/** What there is to say without any work under the key; null while there is some. */
export function endedClaim(request: KeyedRequest, winner: WinnerColumns): Claim | null {
  if (winner.state === 'canceled') return canceled(winner); // whatever the body
  if (!isSameRequest(request, winner)) return { kind: 'reused' };
  return winner.state === 'finished' ? answered(winner) : null;
}

function isSameRequest(request: KeyedRequest, winner: WinnerColumns): boolean {
  return (
    winner.operation === request.operation &&
    request.matches(winner.fingerprint_version, winner.fingerprint)
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

function resume(
  deps: ClaimDeps,
  { account, keyHash, requestId, patience }: KeyedRequest,
  claiming: Claiming,
  state: 'started' | 'released',
  { ended = false, lookOnly = false }: { ended?: boolean; lookOnly?: boolean },
): Promise<Claim | Moved> {
  return unlessRefused(claiming, async () => {
    const lease = await takeUp(deps, {
      accountId: account.id,
      keyHash,
      state,
      ended,
      lookOnly,
      orderOnce: account.orderOnce,
      actor: 'request',
      requestId,
    });
    if (lease === null) return MOVED;
    if (state === 'released' && !ended) claiming.claimed();
    return { kind: 'claimed', lease: { ...lease, patience: patience ?? null } };
  });
}

/** Runs a statement that takes what only one may hold; a rule of the database undoes it as a whole. */
async function unlessRefused(
  claiming: Claiming,
  work: () => Promise<Claim | Moved>,
): Promise<Claim | Moved> {
  try {
    return await work();
  } catch (error) {
    const refusal = await claiming.refusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  }
}
