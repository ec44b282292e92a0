import type { ProcessorError } from './processor-error.js';
import type { NotSent, UnknownReason } from './processor.js';
import type { Failure } from './send-once.js';

/** One way in which a call can end, and what it proves. */
export type Row = {
  name: string;
  /** What is seen, in words. */
  seen: string;
  matches: (seen: Seen) => boolean;
  /** The verdict on sending the operation. */
  send: SendVerdict;
  /** The verdict on asking for it. */
  lookUp: LookUpVerdict;
};

/** What an exchange showed, reduced to what the rows ask about. */
export type Seen = {
  failure: Failure | null;
  status: number;
  readable: boolean;
  error: ProcessorError | null;
  /** The payment or the refund that the answer tells of. */
  object: Reading | { kind: 'absent' } | { kind: 'found_none' } | { kind: 'found_several' };
  replayed: boolean;
  /** `Stripe-Rate-Limited-Reason`. */
  limiter: string | null;
};

/** What a text of somebody else's turned out to be. */
export type Reading =
  | { kind: 'ours'; found: Found }
  | { kind: 'foreign'; detail: string }
  | { kind: 'unreadable'; detail: string };

/** A payment or a refund that is the one that was asked for. */
export type Found = {
  id: string;
  /** The processor's own word. */
  status: string;
  /** The money in it, captured where there is a difference. */
  amount: number;
  /** Whether that is all that was asked for, and no more. */
  whole: boolean;
  /** Of a payment: only an authorization was asked for. */
  manual: boolean;
  /** Why it failed, if it says so. */
  failure: ProcessorError | null;
  fee: { amount: number; currency: string } | null;
  expiresAt: Date | null;
};

type UnknownVerdict = {
  kind: 'unknown';
  reason: UnknownReason;
  storedError: boolean;
  counts: boolean;
};

export type SendVerdict =
  | { kind: 'succeeded' }
  | { kind: 'authorized' }
  | { kind: 'accepted' }
  | DeclinedVerdict
  | { kind: 'not_sent'; reason: NotSent['reason'] }
  | UnknownVerdict;

export type LookUpVerdict = SendVerdict | { kind: 'not_found' } | { kind: 'conflict' };

/** `code` and `words` are told where the processor has none. */
type DeclinedVerdict = { kind: 'declined'; stored: boolean; code?: string; words?: string };

export function row(
  name: string,
  seen: string,
  matches: Row['matches'],
  send: SendVerdict,
  lookUp: LookUpVerdict,
): Row {
  return { name, seen, matches, send, lookUp };
}

export const SUCCEEDED = { kind: 'succeeded' } as const;
export const NOT_FOUND = { kind: 'not_found' } as const;
export const CONFLICT = { kind: 'conflict' } as const;

export const DECLINED: DeclinedVerdict = { kind: 'declined', stored: true };
export const DECLINED_NOT_KEPT: DeclinedVerdict = { kind: 'declined', stored: false };

export function notSent(reason: NotSent['reason']): SendVerdict {
  return { kind: 'not_sent', reason };
}

export function unknown(reason: UnknownReason): UnknownVerdict {
  return { kind: 'unknown', reason, storedError: false, counts: true };
}

/** This answer could not have settled the payment, so an outage of an hour does not use up its tries. */
export function uncounted(reason: UnknownReason): UnknownVerdict {
  return { ...unknown(reason), counts: false };
}

/** Looking up is not trying. */
export function unseen(reason: UnknownReason): UnknownVerdict {
  return uncounted(reason);
}

/** The processor replays an answer that settles nothing: sending again can never tell more. */
export function keptUnknown(reason: UnknownReason): UnknownVerdict {
  return { ...unknown(reason), storedError: true };
}

export function foundOf(seen: Seen): Found | null {
  return seen.object.kind === 'ours' ? seen.object.found : null;
}

export function status(seen: Seen, ...statuses: number[]): boolean {
  return statuses.includes(seen.status);
}

export function code(seen: Seen, ...codes: string[]): boolean {
  return seen.error?.code != null && codes.includes(seen.error.code);
}

export function none(seen: Seen): boolean {
  return seen.object.kind === 'absent';
}

export function state(seen: Seen, ...statuses: string[]): boolean {
  const found = foundOf(seen);
  return found !== null && statuses.includes(found.status);
}

/** An answer of 200 in which the object stands so. */
export function shows(seen: Seen, ...statuses: string[]): boolean {
  return status(seen, 200) && state(seen, ...statuses);
}

/** Refused by validation, before execution: such an answer is not kept, and says nothing of earlier sends. */
export function isInvalid(seen: Seen): boolean {
  return status(seen, 400, 404) && seen.error?.type === 'invalid_request_error';
}
