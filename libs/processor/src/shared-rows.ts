import {
  code,
  CONFLICT,
  DECLINED,
  DECLINED_NOT_KEPT,
  isInvalid,
  NOT_FOUND,
  notSent,
  row,
  type Row,
  type Seen,
  status,
  uncounted,
  unknown,
  unseen,
  keptUnknown,
} from './classification-row.js';
import type { Failure } from './send-once.js';

/** What every call can meet, before anything is asked about its own object. */
export const FIRST_ROWS: readonly Row[] = [
  row(
    'connect-refused',
    'the connection is refused',
    failed('connect_refused'),
    notSent('connect_refused'),
    notSent('connect_refused'),
  ),
  row(
    'connect-failed',
    'no connection comes about',
    failed('connect_failed'),
    notSent('connect_failed'),
    notSent('connect_failed'),
  ),
  row(
    'late-unsent',
    'the deadline ends before a byte is sent',
    failed('deadline_before_sending'),
    notSent('deadline'),
    notSent('deadline'),
  ),
  row(
    'late',
    'the deadline ends after sending began',
    failed('deadline_after_sending'),
    unknown('timeout'),
    unseen('timeout'),
  ),
  row(
    'reset',
    'the connection breaks after sending began, also when reused',
    failed('reset'),
    unknown('reset'),
    unseen('reset'),
  ),
  row(
    'oversized',
    'the answer is longer than 1 MiB',
    failed('oversized'),
    unknown('nonsense'),
    unseen('nonsense'),
  ),
  row(
    'garbled',
    'the answer is not HTTP',
    failed('garbled'),
    unknown('nonsense'),
    unseen('nonsense'),
  ),

  row(
    'stored-error',
    '5xx or 424, `Idempotent-Replayed: true`',
    (seen) => broken(seen) && seen.replayed,
    keptUnknown('server_error'),
    unseen('server_error'),
  ),
  row(
    'server-error',
    '5xx or 424, whatever the body',
    broken,
    uncounted('server_error'),
    unseen('server_error'),
  ),
  row(
    'refused',
    '401 or 403: our key or its rights',
    (seen) => status(seen, 401, 403),
    uncounted('refused'),
    unseen('refused'),
  ),
  row(
    'in-progress',
    '400, 409, 422 or 429 with `idempotency_key_in_use` or `lock_timeout`',
    (seen) =>
      status(seen, 400, 409, 422, 429) && code(seen, 'idempotency_key_in_use', 'lock_timeout'),
    uncounted('in_progress'),
    unseen('in_progress'),
  ),
  row(
    'rate-limited',
    '429 (in old days 400) with `rate_limit`, from a limiter that stands before execution',
    (seen) =>
      status(seen, 429, 400) && code(seen, 'rate_limit') && BEFORE_EXECUTION.has(seen.limiter),
    notSent('rate_limited'),
    notSent('rate_limited'),
  ),
  row(
    'rate-limited-late',
    'any other 429',
    (seen) => status(seen, 429),
    unknown('rate_limited'),
    unseen('rate_limited'),
  ),
  row(
    'key-mismatch',
    '400 `idempotency_error`: our key is known there with other parameters',
    (seen) => status(seen, 400) && seen.error?.type === 'idempotency_error',
    unknown('key_mismatch'),
    unseen('nonsense'),
  ),

  row(
    'unreadable',
    'the body is no JSON, or JSON of two meanings',
    (seen) => !seen.readable,
    unknown('nonsense'),
    unseen('nonsense'),
  ),
  row(
    'odd-object',
    'the payment or refund in it cannot be read',
    (seen) => seen.object.kind === 'unreadable',
    unknown('nonsense'),
    unseen('nonsense'),
  ),
  row(
    'other-object',
    'the payment or refund in it is another one, or has another reference, account, amount or currency',
    (seen) => seen.object.kind === 'foreign',
    unknown('nonsense'),
    CONFLICT,
  ),
];

/** Refused by validation. `untouched` and its words: what the object in the error may be, and nothing has happened. */
export function refusalRows(words: string, untouched: Row['matches']): Row[] {
  const refused = (seen: Seen) => isInvalid(seen) && untouched(seen);
  return [
    row(
      'refused-and-kept',
      `400 or 404 \`invalid_request_error\`, \`Idempotent-Replayed: true\`, ${words}`,
      (seen) => refused(seen) && seen.replayed,
      DECLINED,
      unseen('refused'),
    ),
    row(
      'no-such-object',
      `404 \`invalid_request_error\`, ${words}`,
      (seen) => status(seen, 404) && refused(seen),
      DECLINED_NOT_KEPT,
      NOT_FOUND,
    ),
    row(
      'invalid',
      `400 \`invalid_request_error\`, ${words}`,
      refused,
      DECLINED_NOT_KEPT,
      unseen('refused'),
    ),
  ];
}

/** What is left. The last row matches everything. */
export const LAST_ROWS: readonly Row[] = [
  row(
    'found-none',
    '200, a search or list that holds none',
    (seen) => status(seen, 200) && seen.object.kind === 'found_none',
    unknown('nonsense'),
    NOT_FOUND,
  ),
  row(
    'found-several',
    '200, a search or list that holds more than one',
    (seen) => status(seen, 200) && seen.object.kind === 'found_several',
    unknown('nonsense'),
    CONFLICT,
  ),
  row('anything-else', 'anything else', () => true, unknown('nonsense'), unseen('nonsense')),
];

function failed(failure: Failure): Row['matches'] {
  return (seen) => seen.failure === failure;
}

/** 424 is Stripe's word for a failure behind it, as open as a 500. */
function broken(seen: Seen): boolean {
  return seen.status >= 500 || seen.status === 424;
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
