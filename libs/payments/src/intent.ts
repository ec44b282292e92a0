import type { Problem } from '#problems/problems.js';
import type { Patience } from './lease.js';
import type { PaymentOrder } from './payment.js';

/** One request under a key: who asks, and what makes a later request the same. */
export type KeyedRequest = {
  account: { id: string; orderOnce: boolean };
  /** This request's id, for the timeline and for Original-Request if it claims the key. */
  requestId: string;
  /** Method and route template; a key belongs to one of them. */
  operation: string;
  /** sha256 of the idempotency key. */
  keyHash: Buffer;
  fingerprint: Buffer;
  fingerprintVersion: number;
  /** Whether a key row of that version was written for this very request. */
  matches: (version: number, fingerprint: Buffer) => boolean;
  /** `Prefer: wait=N`: how far the caller's patience goes, and what it would get if it ended now. */
  patience?: Patience;
};

/** A request to take a payment. */
export type Intent = KeyedRequest & {
  /** The processor's key, derived from account, operation and idempotency key. */
  processorKey: string;
  /** `Prefer: respond-async`: the claim is all that this request does. */
  queue: boolean;
  /**
   * The verdict of validation and limits, withheld: an honest retry of a charged payment must not meet a
   * rule that was tightened since, or a limit that is full now.
   */
  verdict: Verdict;
};

export type Verdict =
  | {
      kind: 'accepted';
      order: PaymentOrder;
      /** Our account at the processor, for which the intent is claimed. */
      processorAccount: string;
      /** Called when this request has claimed an unseen key, for the limit on new keys. */
      claimed: () => void;
    }
  | { kind: 'refused'; problem: Problem };

export type Accepted = Extract<Verdict, { kind: 'accepted' }>;

/** A request to capture, void or refund a payment that exists. */
export type StepIntent = KeyedRequest & {
  kind: 'capture' | 'void' | 'refund';
  paymentId: string;
  /** Derived from the idempotency key; a void's is derived from the payment, since any number of callers may want it. */
  processorKey: string | null;
  verdict: StepVerdict;
};

export type StepVerdict =
  | {
      kind: 'accepted';
      /** Minor units; null is all that there is. */
      amount: number | null;
      /** ISO 4217, where the caller named it; null is the payment's own. */
      currency: string | null;
      reason: string | null;
      claimed: () => void;
    }
  | { kind: 'refused'; problem: Problem };
