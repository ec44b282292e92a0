import type { IntentReading, PaymentIntent, ProcessorError } from './payment-intent.js';
import type { NotSent, UnknownReason } from './processor.js';
import type { Failure } from './send-once.js';

/**
 * Every way in which a call to the processor can end, and what it proves. First row that matches, from
 * the top; the last one matches everything, so that what nobody thought of is *unknown*, never a
 * success and never a failure.
 *
 * `charge` is the verdict on sending a charge, `lookUp` on asking for one. A look-up that ends as
 * anything but an answer proves nothing about the charge, whatever went wrong with it.
 *
 * @keeps P1 P2: a timeout, a reset or a server error is never a decline.
 */
export const CLASSIFICATION: readonly Row[] = [
  row('connect-refused', 'the connection is refused', failed('connect_refused'), {
    charge: notSent('connect_refused'),
    lookUp: notSent('connect_refused'),
  }),
  row('connect-failed', 'no connection comes about', failed('connect_failed'), {
    charge: notSent('connect_failed'),
    lookUp: notSent('connect_failed'),
  }),
  row('late-unsent', 'the deadline ends before a byte is sent', failed('deadline_before_sending'), {
    charge: notSent('deadline'),
    lookUp: notSent('deadline'),
  }),
  row('late', 'the deadline ends after sending began', failed('deadline_after_sending'), {
    charge: unknown('timeout'),
    lookUp: unknownLookUp('timeout'),
  }),
  row('reset', 'the connection breaks after sending began, also when reused', failed('reset'), {
    charge: unknown('reset'),
    lookUp: unknownLookUp('reset'),
  }),
  row('oversized', 'the answer is longer than 1 MiB', failed('oversized'), {
    charge: unknown('nonsense'),
    lookUp: unknownLookUp('nonsense'),
  }),
  row('garbled', 'the answer is not HTTP', failed('garbled'), {
    charge: unknown('nonsense'),
    lookUp: unknownLookUp('nonsense'),
  }),

  row('stored-error', '5xx or 424, `Idempotent-Replayed: true`', (s) => broken(s) && s.replayed, {
    charge: { kind: 'unknown', reason: 'server_error', storedError: true, counts: true },
    lookUp: unknownLookUp('server_error'),
  }),
  row('server-error', '5xx or 424, whatever the body', broken, {
    charge: uncounted('server_error'),
    lookUp: unknownLookUp('server_error'),
  }),
  row('refused', '401 or 403: our key or its rights', (s) => status(s, 401, 403), {
    charge: uncounted('refused'),
    lookUp: unknownLookUp('refused'),
  }),
  row(
    'in-progress',
    '400, 409, 422 or 429 with `idempotency_key_in_use` or `lock_timeout`',
    (s) => status(s, 400, 409, 422, 429) && code(s, 'idempotency_key_in_use', 'lock_timeout'),
    { charge: uncounted('in_progress'), lookUp: unknownLookUp('in_progress') },
  ),
  row(
    'rate-limited',
    '429 (in old days 400) with `rate_limit`, from a limiter that stands before execution',
    (s) => status(s, 429, 400) && code(s, 'rate_limit') && BEFORE_EXECUTION.has(s.limiter),
    { charge: notSent('rate_limited'), lookUp: notSent('rate_limited') },
  ),
  row('rate-limited-late', 'any other 429', (s) => status(s, 429), {
    charge: unknown('rate_limited'),
    lookUp: unknownLookUp('rate_limited'),
  }),
  row(
    'key-mismatch',
    '400 `idempotency_error`: our key is known there with other parameters',
    (s) => status(s, 400) && s.error?.type === 'idempotency_error',
    { charge: unknown('key_mismatch'), lookUp: unknownLookUp('nonsense') },
  ),

  row('unreadable', 'the body is no JSON, or JSON of two meanings', (s) => !s.readable, {
    charge: unknown('nonsense'),
    lookUp: unknownLookUp('nonsense'),
  }),
  row('odd-payment', 'the payment in it cannot be read', (s) => s.payment.kind === 'unreadable', {
    charge: unknown('nonsense'),
    lookUp: unknownLookUp('nonsense'),
  }),
  row(
    'other-payment',
    'the payment in it has another reference, account, amount or currency',
    (s) => s.payment.kind === 'foreign',
    { charge: unknown('nonsense'), lookUp: { kind: 'conflict' } },
  ),
  row(
    'declined',
    '402 `card_error`, and the payment in it, if any, holds no money',
    (s) => status(s, 402) && s.error?.type === 'card_error' && (none(s) || state(s, ...UNPAID)),
    { charge: { kind: 'declined', stored: true }, lookUp: unknownLookUp('nonsense') },
  ),
  row(
    'refused-and-kept',
    '400 or 404 `invalid_request_error`, `Idempotent-Replayed: true`, no payment in it',
    (s) => invalidRequest(s) && s.replayed,
    { charge: { kind: 'declined', stored: true }, lookUp: unknownLookUp('refused') },
  ),
  row(
    'no-such-object',
    '404 `invalid_request_error`, no payment in it',
    (s) => status(s, 404) && invalidRequest(s),
    { charge: { kind: 'declined', stored: false }, lookUp: { kind: 'not_found' } },
  ),
  row('invalid', '400 `invalid_request_error`, no payment in it', invalidRequest, {
    charge: { kind: 'declined', stored: false },
    lookUp: unknownLookUp('refused'),
  }),

  row('succeeded', '200 `succeeded`', (s) => status(s, 200) && state(s, 'succeeded'), {
    charge: { kind: 'succeeded' },
    lookUp: { kind: 'succeeded' },
  }),
  row('processing', '200 `processing`', (s) => status(s, 200) && state(s, 'processing'), {
    charge: unknown('processing'),
    lookUp: unknownLookUp('processing'),
  }),
  row(
    'attempt-failed',
    '200 `requires_payment_method` or `canceled`, its last error a card error',
    (s) => status(s, 200) && state(s, 'requires_payment_method', 'canceled') && cardError(s),
    { charge: { kind: 'declined', stored: true }, lookUp: { kind: 'declined', stored: true } },
  ),
  // A canceled payment can never be paid any more, so this is as final as a decline.
  row('canceled', '200 `canceled`', (s) => status(s, 200) && state(s, 'canceled'), {
    charge: { kind: 'declined', stored: true },
    lookUp: { kind: 'declined', stored: true },
  }),
  // No money has moved, but it still may: somebody can confirm it, or finish an authentication. That we
  // asked for an error instead of `requires_action` changes nothing about what is there.
  row(
    'unfinished',
    '200 `requires_action`, `requires_confirmation`, or `requires_payment_method` without an error',
    (s) => status(s, 200) && state(s, ...UNPAID),
    { charge: unknown('processing'), lookUp: unknownLookUp('processing') },
  ),
  row(
    'authorized',
    '200 `requires_capture`, although a capture was asked for',
    (s) => status(s, 200) && state(s, 'requires_capture'),
    { charge: unknown('nonsense'), lookUp: { kind: 'conflict' } },
  ),
  row(
    'found-none',
    '200, a search that finds nothing',
    (s) => status(s, 200) && s.payment.kind === 'found_none',
    { charge: unknown('nonsense'), lookUp: { kind: 'not_found' } },
  ),
  row(
    'found-several',
    '200, a search that finds more than one',
    (s) => status(s, 200) && s.payment.kind === 'found_several',
    { charge: unknown('nonsense'), lookUp: { kind: 'conflict' } },
  ),
  row('anything-else', 'anything else', () => true, {
    charge: unknown('nonsense'),
    lookUp: unknownLookUp('nonsense'),
  }),
];

export type Row = {
  name: string;
  /** What is seen, in words. */
  seen: string;
  matches: (seen: Seen) => boolean;
  charge: ChargeVerdict;
  lookUp: LookUpVerdict;
};

/** What an exchange showed, reduced to what the table asks about. */
export type Seen = {
  failure: Failure | null;
  status: number;
  readable: boolean;
  error: ProcessorError | null;
  payment: IntentReading | { kind: 'absent' } | { kind: 'found_none' } | { kind: 'found_several' };
  replayed: boolean;
  /** `Stripe-Rate-Limited-Reason`. */
  limiter: string | null;
};

type UnknownVerdict = {
  kind: 'unknown';
  reason: UnknownReason;
  storedError: boolean;
  counts: boolean;
};

export type ChargeVerdict =
  | { kind: 'succeeded' }
  | { kind: 'declined'; stored: boolean }
  | { kind: 'not_sent'; reason: NotSent['reason'] }
  | UnknownVerdict;

export type LookUpVerdict = ChargeVerdict | { kind: 'not_found' } | { kind: 'conflict' };

export function classify(seen: Seen): Row {
  const found = CLASSIFICATION.find((candidate) => candidate.matches(seen));
  if (found === undefined) throw new Error('Bug: the last row matches everything.');
  return found;
}

export function paymentOf(seen: Seen): PaymentIntent | null {
  return seen.payment.kind === 'ours' ? seen.payment.intent : null;
}

/**
 * Limiters that turn a request away before it is begun. `resource-specific` is not among them: it is
 * decided with the object in hand. Null: an answer that does not name its limiter.
 */
const BEFORE_EXECUTION: ReadonlySet<string | null> = new Set([
  null,
  'global-rate',
  'global-concurrency',
  'endpoint-rate',
  'endpoint-concurrency',
]);

const UNPAID = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'canceled'];

function row(
  name: string,
  seen: string,
  matches: Row['matches'],
  verdicts: Pick<Row, 'charge' | 'lookUp'>,
): Row {
  return { name, seen, matches, ...verdicts };
}

function notSent(reason: NotSent['reason']): ChargeVerdict {
  return { kind: 'not_sent', reason };
}

function unknown(reason: UnknownReason): UnknownVerdict {
  return { kind: 'unknown', reason, storedError: false, counts: true };
}

/** This answer could not have settled the payment, so an outage of an hour does not use up its tries. */
function uncounted(reason: UnknownReason): UnknownVerdict {
  return { ...unknown(reason), counts: false };
}

/** Looking up is not trying. */
function unknownLookUp(reason: UnknownReason): UnknownVerdict {
  return uncounted(reason);
}

function failed(failure: Failure): Row['matches'] {
  return (seen) => seen.failure === failure;
}

/** 424 is Stripe's word for a failure behind it, as open as a 500. */
function broken(seen: Seen): boolean {
  return seen.status >= 500 || seen.status === 424;
}

function status(seen: Seen, ...statuses: number[]): boolean {
  return statuses.includes(seen.status);
}

function code(seen: Seen, ...codes: string[]): boolean {
  return seen.error?.code != null && codes.includes(seen.error.code);
}

function none(seen: Seen): boolean {
  return seen.payment.kind === 'absent';
}

function state(seen: Seen, ...statuses: string[]): boolean {
  const payment = paymentOf(seen);
  return payment !== null && statuses.includes(payment.status);
}

function cardError(seen: Seen): boolean {
  return paymentOf(seen)?.cardError != null;
}

/** Refused by validation, before execution: such an answer is not kept, and says nothing of earlier sends. */
function invalidRequest(seen: Seen): boolean {
  return status(seen, 400, 404) && seen.error?.type === 'invalid_request_error' && none(seen);
}
