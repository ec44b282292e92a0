import type {
  Accepted,
  Authorized,
  Charged,
  Declined,
  NotSent,
  Unknown,
} from '#processor/processor.js';
import type { Deps } from './deps.js';
import { type Lease, databaseNowMs } from './lease.js';
import { type Found, type Sent, lookUpAtProcessor, sendToProcessor } from './processor-calls.js';

/** A lost registration is back within moments, unless the database is away; part of the lease's margin. */
const REGISTRATION_WAIT_MS = 1_000;

/** Proof that what was asked for was never done, and never will be. */
export type NotCharged = {
  kind: 'not_charged';
  why: string;
  /** `not_sent`: nothing ever went out; `canceled`: so its caller gave it up; `not_made`: the processor shows none. */
  code: 'not_sent' | 'canceled' | 'not_made';
};

export type Outcome = Charged | Authorized | Accepted | Declined | NotCharged | NotSent | Unknown;

/** May call the processor, and has no database: no connection is held while somebody else's server thinks. */
export type CallDeps = Pick<Deps, 'processor' | 'clock' | 'terms' | 'log' | 'instance'>;

/**
 * Makes one call to the processor, the one that the lease allows, and says what is known after it.
 * Never throws for anything that a processor can do.
 */
export async function callProcessor(deps: CallDeps, lease: Lease): Promise<Outcome> {
  try {
    return forReview(deps, lease, await callOnce(deps, lease));
  } catch (error) {
    // A bug in the adapter, at any moment: what was sent before it threw cannot be told.
    deps.log.critical('processor_call_failed', {
      payment_id: lease.payment.id,
      error: error instanceof Error ? error.stack : String(error),
    });
    return unknown('nonsense', 'the call to the processor failed on our side', null);
  }
}

/**
 * Past the send limit only a look-up can settle an operation. One that is not answered (the processor is
 * away, our key may not read, another account is configured) may not be answered for ever: a person looks.
 *
 * @keeps P2
 */
function forReview({ clock }: CallDeps, lease: Lease, outcome: Outcome): Outcome {
  const isLate = outcome.kind === 'unknown' && databaseNowMs(lease, clock) >= lease.sendUntilMs;
  return isLate ? { ...outcome, review: true } : outcome;
}

async function callOnce(deps: CallDeps, lease: Lease): Promise<Outcome> {
  if (lease.action === 'close') {
    return lease.givenUp
      ? { kind: 'not_charged', why: 'it was canceled before anything was sent', code: 'canceled' }
      : { kind: 'not_charged', why: 'the key ended before anything was sent', code: 'not_sent' };
  }
  const stranger = await isStranger(deps, lease);
  if (stranger !== null) return stranger;
  if (lease.action === 'look_up') return afterLookUp(deps, lease, await lookUp(deps, lease));
  const held = await holdBack(deps, lease);
  if (held !== null) return unknownDominates(lease, held);
  if (lease.patience !== null) lease.patience.sent = true;
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const outcome = await sendToProcessor(deps.processor, lease, { timeoutMs });
  if (outcome.kind === 'unknown' && outcome.reason === 'key_mismatch')
    return afterMismatch(deps, lease);
  // What it acts on is not as we think: captured, canceled or voided there already, perhaps by an earlier send.
  if (outcome.kind === 'unknown' && outcome.reason === 'unexpected_state')
    return afterLookUp(deps, lease, await lookUp(deps, lease));
  if (outcome.kind === 'declined' && !outcome.stored && lease.unknownBefore)
    return afterRefusal(deps, lease, outcome);
  return unknownDominates(lease, outcome);
}

/** Why nothing may be sent now: the send limit or the caller's patience has passed, or others may take us for dead and this work over. */
async function holdBack({ clock, instance }: CallDeps, lease: Lease): Promise<NotSent | null> {
  const isRegistered = await instance.registered(REGISTRATION_WAIT_MS);
  const late =
    databaseNowMs(lease, clock) >= lease.sendUntilMs ||
    (lease.patience !== null && clock.monotonicMs() >= lease.patience.endsAtMs);
  if (!late && isRegistered) return null;
  return {
    kind: 'not_sent',
    reason: late ? 'deadline' : 'not_registered',
    retryAfterSeconds: null,
  };
}

/**
 * The re-send was refused before it was tried: that tells of the re-send alone, and may be told for ever. So the
 * processor is asked about the earlier one at once, and an answer that settles nothing counts as a try.
 *
 * @keeps P2: an operation with an unknown attempt is never declined by hearsay.
 */
async function afterRefusal(deps: CallDeps, lease: Lease, { declineCode }: Declined) {
  const outcome = afterLookUp(deps, lease, await lookUp(deps, lease));
  if (outcome.kind !== 'unknown') return outcome;
  const detail = `the re-send was refused (${declineCode}), and ${outcome.detail}`;
  return { ...outcome, detail };
}

/** Our own key is known there with other parameters: a bug of ours, and proof that something exists to be adopted. */
async function afterMismatch(deps: CallDeps, lease: Lease): Promise<Outcome> {
  deps.log.critical('processor_key_mismatch', {
    payment_id: lease.payment.id,
    attempt_no: lease.attemptNo,
  });
  return afterLookUp(deps, lease, await lookUp(deps, lease));
}

/**
 * One earlier attempt that may have moved money outweighs a re-send that was not sent: a full queue or a limit
 * tells of the re-send alone.
 *
 * @keeps P2: an operation with an unknown attempt is never released.
 */
function unknownDominates<O extends Sent | NotSent>(lease: Lease, outcome: O): O | Unknown {
  if (!lease.unknownBefore) return outcome;
  if (outcome.kind === 'not_sent') {
    return unknown(
      'refused',
      `the re-send was not sent (${outcome.reason}); an earlier attempt is unknown`,
      outcome.retryAfterSeconds,
    );
  }
  return outcome;
}

/**
 * What a look-up says. "Not found" alone never proves "not made": that takes a stored error that the
 * processor replayed as well, with the visibility window passed since.
 */
function afterLookUp(deps: CallDeps, lease: Lease, found: Found): Outcome {
  const { kind } = lease.operation;
  switch (found.kind) {
    case 'succeeded':
    case 'authorized':
    case 'accepted':
    case 'declined':
      return found;
    case 'not_found': {
      if (lease.storedErrorAtMs === null) {
        return {
          ...unknown('not_found', `a look-up found no ${kind}, which proves nothing`, null),
          counts: true,
        };
      }
      const visibleFromMs = lease.storedErrorAtMs + deps.terms.visibilityWindowMs;
      if (databaseNowMs(lease, deps.clock) < visibleFromMs) {
        return unknown(
          'not_found',
          `no ${kind} is visible yet after an error that the processor stored`,
          null,
        );
      }
      const why = `the processor stored an error and shows no ${kind}`;
      return { kind: 'not_charged', why, code: 'not_made' };
    }
    case 'conflict':
      deps.log.critical('processor_conflict', {
        payment_id: lease.payment.id,
        detail: found.detail,
      });
      return { ...unknown('nonsense', found.detail, null), counts: true, review: true };
    case 'not_sent':
      return unknown(
        'refused',
        `the look-up was not sent (${found.reason})`,
        found.retryAfterSeconds,
      );
    case 'unknown':
      return { ...found, storedError: false };
  }
}

async function lookUp(deps: CallDeps, lease: Lease): Promise<Found> {
  return lookUpAtProcessor(deps.processor, lease, { timeoutMs: deps.terms.processorTimeoutMs });
}

/** The same key at another processor, or at another account there, would charge again: nothing is sent. */
async function isStranger(
  { processor, terms, log }: CallDeps,
  lease: Lease,
): Promise<Unknown | NotSent | null> {
  const account = await processor.account({ timeoutMs: terms.processorTimeoutMs });
  if (account === null) {
    const nothing: NotSent = {
      kind: 'not_sent',
      reason: 'connect_failed',
      retryAfterSeconds: null,
    };
    return unknownDominates(lease, nothing);
  }
  if (processor.name === lease.processor.name && account === lease.processor.account) return null;
  const claimed = `${lease.processor.name} ${lease.processor.account}`;
  log.critical('processor_changed', {
    payment_id: lease.payment.id,
    claimed_for: claimed,
    configured: `${processor.name} ${account}`,
  });
  return unknown('refused', `claimed for another account at the processor (${claimed})`, null);
}

function unknown(
  reason: Unknown['reason'],
  detail: string,
  retryAfterSeconds: number | null,
): Unknown {
  return { kind: 'unknown', reason, storedError: false, counts: false, detail, retryAfterSeconds };
}
