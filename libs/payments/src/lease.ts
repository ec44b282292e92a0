import type { Clock } from '#seams/clock.js';
import type { OperationKind } from './operation-kind.js';
import type { Payment } from './payment.js';
import type { Refund } from './refund.js';

/** The right to work on one operation until `locked_until`, and all that the work needs to know. */
export type Lease = {
  accountId: string;
  keyHash: Buffer;
  /** Every later write of this run names it; a takeover writes another. */
  token: string;
  operationId: string;
  operation: Charge | Step;
  /** The payment, as it was when the lease was taken. */
  payment: Payment;
  /** The refund, if that is what this is. */
  refund: Refund | null;
  /** The processor's id of what is worked on, where somebody has told it: found by that rather than by our reference. */
  knownAs: string | null;
  /** The request that claimed the key: it stands in a saved problem. */
  claimRequestId: string;
  /** The request, or the worker's pass, that holds this lease. */
  requestId: string;
  /** What this run may do: send, only look up, or (the key's end has come, nothing was ever sent) close. */
  action: 'send' | 'look_up' | 'close';
  /** It is closed because its caller gave it up. */
  givenUp: boolean;
  attemptNo: number;
  /** An earlier attempt may have moved money: then only proof settles the payment. */
  unknownBefore: boolean;
  /** Nobody sends after this instant (database time, milliseconds). */
  sendUntilMs: number;
  /** Since when the processor replays a server error that it stored under our key. */
  storedErrorAtMs: number | null;
  /** Waits so far in recovery; the next one doubles with them. */
  waits: number;
  /** Counted tries so far in recovery. */
  tries: number;
  /** It lies in the review queue: looked at hourly, and said aloud once. */
  inReview: boolean;
  /** Its caller has gone: what was not sent is queued again, never released. */
  queued: boolean;
  /** Only a look on a reader's behalf: it counts no try and moves no due time. */
  byReader: boolean;
  /** A caller who waits so long and no longer: what was not sent by then is not sent. */
  patience: Patience | null;
  /** Held for an operator: what ends this run writes the audit row with it. */
  act?: Act;
  processor: {
    name: string;
    account: string;
    key: string;
    apiVersion: string;
    renderingVersion: number;
  };
  /** The database's time as the first statement of this run told it, and our monotonic clock just before. */
  readAt: { databaseMs: number; monotonicMs: number };
};

type Charge = { kind: 'charge' };

/** An operation on a payment that exists at the processor. */
export type Step = {
  kind: Exclude<OperationKind, 'charge'>;
  /** Minor units that it captures, gives up or gives back. */
  amount: number;
  /** The payment's id at the processor. */
  targetId: string;
  /** The processor's key of the charge: the reference that the payment carries there. */
  chargeKey: string;
};

/** The database's time now, without asking: what it told plus the monotonic time since, never too early. */
export function databaseNowMs({ readAt }: Pick<Lease, 'readAt'>, clock: Clock): number {
  return readAt.databaseMs + Math.ceil(clock.monotonicMs() - readAt.monotonicMs);
}

export type Patience = {
  /** Monotonic milliseconds. */
  endsAtMs: number;
  /** Set once the key is claimed: from then on the payment is finished, whoever waits. */
  lease: Lease | null;
  /** Whether anything went out for this caller. */
  sent: boolean;
};

/** An operator's deed on one operation: whoever does it, and why, is told in the commit that does it. */
export type Act = {
  actor: string;
  action: string;
  reason: string;
  /** How it stood before, read under the lease. */
  before: object;
  /** Set once deed and audit row are committed. */
  done: boolean;
};
