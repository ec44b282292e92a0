import type { EventPage, EventPosition } from './event-list.js';
import type { ListedPayment, ListPage, ListPosition } from './object-list.js';
import type { Reference } from './reference.js';

/**
 * What the core needs of a card processor, and the words in which it hears the answer.
 * One adapter (`stripe-processor.ts`) speaks to Stripe and to the mock alike.
 */

/**
 * One charge. Every member is a function of the intent and is stored by the claim, so that a re-send,
 * even by a database that was restored, sends the same bytes under the same key.
 */
export type ChargeRequest = {
  /** The processor's idempotency key: a UUID derived from account, operation and idempotency key. */
  processorKey: string;
  accountId: string;
  /** Minor units. */
  amount: number;
  /** ISO 4217, lower case. */
  currency: string;
  paymentMethod: string;
  /** Manual: the money is only held, until a capture takes it or a void gives it back. */
  capture: 'automatic' | 'manual';
  /** The version of the processor's API that the claim stored (`Stripe-Version`). */
  apiVersion: string;
  /** Which of the adapter's renderings makes the bytes. A changed rendering is a new number; old ones stay. */
  renderingVersion: number;
};

/** One later step on a payment: a capture, a void or a refund. Stored and repeated like a charge. */
export type StepRequest = {
  /** The step's own key. */
  processorKey: string;
  accountId: string;
  /** The processor's id of the payment that it acts on (`pi_…`). */
  targetId: string;
  /** The key of that payment's charge. It stands in the payment's metadata, and whatever comes back must carry it. */
  chargeKey: string;
  /** Minor units: what to capture or to refund. Of a void, what was authorized, since it gives all of that back. */
  amount: number;
  currency: string;
  apiVersion: string;
  renderingVersion: number;
};

/** The reason is the caller's free text, and never sent. */
export type RefundRequest = StepRequest & { reason: string | null };

/** It happened: the money was charged, captured, or refunded, or what was held was given back. */
export type Charged = {
  kind: 'succeeded';
  /** The processor's id of the payment (`pi_…`), or of the refund (`re_…`). */
  processorId: string;
  /** What really moved. Of a manual charge that has been captured meanwhile, this may be less than was asked for. */
  amount: number;
  currency: string;
  /** The processor's fee in minor units, when the answer told it. Only charges and captures have one. */
  fee: { amount: number; currency: string } | null;
};

/** The money of a manual charge is held. */
export type Authorized = {
  kind: 'authorized';
  processorId: string;
  amount: number;
  currency: string;
  /** When the processor will give it back by itself; null where it does not say. */
  expiresAt: Date | null;
};

/** The refund exists, and the processor has not finished it. Only news or a look-up tells how it ends. */
export type Accepted = { kind: 'accepted'; processorId: string; amount: number; currency: string };

/** A final no. `stored`: the processor keeps this answer under our key, so it also proves that no earlier send of it did anything. */
export type Declined = {
  kind: 'declined';
  stored: boolean;
  /** The processor's own code for it, for example `insufficient_funds`. */
  declineCode: string;
  message: string;
  processorId: string | null;
};

/** Proof that no byte of this request was acted upon: refused or failed connect, or a 429 listed as before execution. */
export type NotSent = {
  kind: 'not_sent';
  reason: 'connect_refused' | 'connect_failed' | 'rate_limited' | 'deadline' | 'not_registered';
  retryAfterSeconds: number | null;
};

/** Nobody knows whether money moved. */
export type Unknown = {
  kind: 'unknown';
  reason: UnknownReason;
  /** The processor replayed a server error that it stored under our key: re-sending can never tell more. */
  storedError: boolean;
  /** Whether this answer could have settled the payment: only then does the try count against the limit. */
  counts: boolean;
  /** A person has to look now: no further try can settle it. */
  review?: true;
  /** Words for the timeline and the log. Never holds a secret or a card number. */
  detail: string;
  retryAfterSeconds: number | null;
};

export const UNKNOWN_REASONS = [
  'timeout', // no whole answer within the deadline
  'reset', // the connection broke after it was made
  'server_error', // any 5xx
  'nonsense', // an answer that cannot be read, or tells of another amount, currency or reference
  'in_progress', // 409: an earlier send of this key is still running there
  'rate_limited', // a 429 that may have come after execution
  'refused', // 401, 403 and the like: our own configuration; it proves nothing about earlier sends
  'processing', // the processor itself has not decided
  'not_found', // a look-up saw nothing, which is no proof
  'key_mismatch', // our key is known there with other parameters: something exists under it
  'unexpected_state', // the payment there is not as this step needs it: look, to see how it is
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

export type ChargeOutcome = Charged | Authorized | Declined | NotSent | Unknown;
export type CaptureOutcome = Charged | Declined | NotSent | Unknown;
export type VoidOutcome = CaptureOutcome;
export type RefundOutcome = Charged | Accepted | Declined | NotSent | Unknown;

/** What a look-up finds beside the outcomes of sending. `not_found` alone proves nothing before the visibility window has passed. */
export type LookedUp =
  | { kind: 'not_found' } // nothing of it is there: no charge, no refund, a payment that is still only held
  | { kind: 'conflict'; detail: string }; // something is there, but it is not what was asked for
export type LookUpOutcome = ChargeOutcome | LookedUp;
export type CaptureLookUp = CaptureOutcome | LookedUp;
export type VoidLookUp = VoidOutcome | LookedUp;
export type RefundLookUp = RefundOutcome | LookedUp;

/** What a read by id gives, of whomever the thing is. */
export type ReadOutcome<Found> =
  ({ kind: 'found' } & Found) | { kind: 'not_found' } | NotSent | Unknown;

/** A payment as it stands at the processor. `status` is the processor's own word. */
export type PaymentFound = Reference & {
  processorId: string;
  status: string;
  amount: number;
  amountReceived: number;
  currency: string;
};

/** A refund as it stands there. */
export type RefundFound = Reference & {
  processorId: string;
  status: 'pending' | 'succeeded' | 'failed';
  amount: number;
  currency: string;
  /** Null for a charge that belongs to no payment, which is none of ours. */
  paymentId: string | null;
  /** The processor's word for why it failed. */
  failureReason: string | null;
};

/** A dispute as it stands there, and whose payment it is about. */
export type DisputeFound = Reference & {
  processorId: string;
  /** An inquiry is a question: no money moves. */
  status: 'open' | 'won' | 'lost' | 'inquiry';
  amount: number;
  currency: string;
  /** Null for a charge that belongs to no payment, which is none of ours. */
  paymentId: string | null;
  openedAt: Date;
};

export type CallOptions = {
  /** The total budget for the call in milliseconds, connecting and body included. */
  timeoutMs: number;
};

/** Everything that moves money or gives up a right to it. */
export type OperationKind = 'charge' | 'capture' | 'void' | 'refund';

/** The number of the rendering that new operations are claimed with. `hold` is a charge that waits for its capture. */
export type RenderingVersions = Readonly<Record<OperationKind | 'hold', number>>;

export interface Processor {
  /** The configured name: `mock` or `stripe`. */
  readonly name: string;
  /** The version of its API that new intents are claimed with. */
  readonly apiVersion: string;
  /** The renderings that new operations are claimed with, by their kind. */
  readonly renderingVersions: RenderingVersions;
  /**
   * Our account at the processor (`acct_…`), asked once and remembered; null while it cannot be asked. The
   * claim stores it: the same key sent to another account would charge again.
   */
  account(options: CallOptions): Promise<string | null>;
  /** Sends once, and only once. Never throws for anything that a processor or a network can do. */
  charge(request: ChargeRequest, options: CallOptions): Promise<ChargeOutcome>;
  /** Finds the charge of this intent: by the processor's id if it is known, else by our reference in its metadata. */
  lookUpCharge(
    request: ChargeRequest,
    processorId: string | null,
    options: CallOptions,
  ): Promise<LookUpOutcome>;
  /** Takes what is held, or a part of it; what is left goes back. Sends once, like `charge`. */
  capture(request: StepRequest, options: CallOptions): Promise<CaptureOutcome>;
  lookUpCapture(request: StepRequest, options: CallOptions): Promise<CaptureLookUp>;
  /** Gives back what is held. */
  void(request: StepRequest, options: CallOptions): Promise<VoidOutcome>;
  lookUpVoid(request: StepRequest, options: CallOptions): Promise<VoidLookUp>;
  refund(request: RefundRequest, options: CallOptions): Promise<RefundOutcome>;
  /** Finds the refund of this operation: by the processor's id if it is known, else among all of the payment's. */
  lookUpRefund(
    request: StepRequest,
    processorId: string | null,
    options: CallOptions,
  ): Promise<RefundLookUp>;
  /** Reads whatever stands under an id that an event or a person has named. */
  readPayment(processorId: string, options: CallOptions): Promise<ReadOutcome<PaymentFound>>;
  readRefund(refundId: string, options: CallOptions): Promise<ReadOutcome<RefundFound>>;
  readDispute(disputeId: string, options: CallOptions): Promise<ReadOutcome<DisputeFound>>;
  /** One page of the list of what has happened there. Never throws for anything that a processor can do. */
  listEvents(position: EventPosition, options: CallOptions): Promise<EventPage>;
  /** One page of what was made there since an instant, whoever made it. Never throws either. */
  listPayments(position: ListPosition, options: CallOptions): Promise<ListPage<ListedPayment>>;
  listRefunds(position: ListPosition, options: CallOptions): Promise<ListPage<RefundFound>>;
  listDisputes(position: ListPosition, options: CallOptions): Promise<ListPage<DisputeFound>>;
  close(): Promise<void>;
}
