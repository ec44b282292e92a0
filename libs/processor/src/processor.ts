import type { EventPage, EventPosition } from './event-list.js';

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
  /** The version of the processor's API that the claim stored (`Stripe-Version`). */
  apiVersion: string;
  /** Which of the adapter's renderings makes the bytes. A changed rendering is a new number; old ones stay. */
  renderingVersion: number;
};

/** A charge that exists at the processor. */
export type Charged = {
  kind: 'succeeded';
  /** The processor's id of the payment (`pi_…`). */
  processorId: string;
  amount: number;
  currency: string;
  /** The processor's fee in minor units, when the answer told it. */
  fee: { amount: number; currency: string } | null;
};

/** A final no. `stored`: the processor keeps this answer under our key, so it also proves that no charge was made by an earlier send. */
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
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

export type ChargeOutcome = Charged | Declined | NotSent | Unknown;

/** What a look-up by our own reference found. `not_found` alone proves nothing before the visibility window has passed. */
export type LookUpOutcome =
  | Charged
  | Declined
  | { kind: 'not_found' }
  | { kind: 'conflict'; detail: string } // something exists, but it is not what the intent asked for
  | Unknown
  | NotSent;

export type CallOptions = {
  /** The total budget for the call in milliseconds, connecting and body included. */
  timeoutMs: number;
};

export interface Processor {
  /** The configured name: `mock` or `stripe`. */
  readonly name: string;
  /** The version of its API that new intents are claimed with. */
  readonly apiVersion: string;
  /** The rendering that new intents are claimed with. */
  readonly renderingVersion: number;
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
  /** One page of the list of what has happened there. Never throws for anything that a processor can do. */
  listEvents(position: EventPosition, options: CallOptions): Promise<EventPage>;
  close(): Promise<void>;
}
