import type { FastifyRequest } from 'fastify';
import { readIdempotencyKey } from '#idempotency/key-spelling.js';
import { hashKey } from '#idempotency/processor-key.js';
import { PAYMENT_STATUSES, type PaymentStatus } from '#payments/payment-status.js';
import type { PaymentFilters } from '#payments/read-payments.js';
import { readerOf } from '#platform/auth.guard.js';
import { ProblemError } from '#platform/problem-error.js';

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

type Filters = PaymentFilters & { accountId?: string };
type Reader = (text: string, filters: Filters) => string | null;

/** Each query parameter of the list: it sets its filter, or says what is wrong. Any other name is refused. */
const READERS: Record<string, Reader> = {
  idempotency_key: (text, filters) => {
    const read = readIdempotencyKey(['Idempotency-Key', text]);
    if (read.kind !== 'key') return 'idempotency_key must be 1 to 255 printable ASCII characters.';
    filters.keyHash = hashKey(read.key);
    return null;
  },
  order_id: (text, filters) => {
    if (text === '' || [...text].length > 255 || text.includes('\0')) {
      return 'order_id must have 1 to 255 characters.';
    }
    filters.orderId = text;
    return null;
  },
  status: (text, filters) => {
    const known = PAYMENT_STATUSES.includes(text as PaymentStatus);
    if (known) filters.status = text as PaymentStatus;
    return known ? null : `status must be one of ${PAYMENT_STATUSES.join(', ')}.`;
  },
  created_after: (text, filters) =>
    readInstant(text, 'created_after', (at) => (filters.createdAfter = at)),
  created_before: (text, filters) =>
    readInstant(text, 'created_before', (at) => (filters.createdBefore = at)),
  after: (text, filters) => {
    if (UUID.test(text)) filters.after = text;
    return UUID.test(text) ? null : 'after must be the "next" of the page before.';
  },
  limit: (text, filters) => {
    const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    filters.limit = limit;
    return limit >= 1 && limit <= LIMIT_MAX
      ? null
      : `limit must be a whole number from 1 to ${LIMIT_MAX}.`;
  },
};

/** An operator lists the payments of every account, or of one. */
const OPERATORS_READERS: Record<string, Reader> = {
  ...READERS,
  account_id: (text, filters) => {
    if (UUID.test(text)) filters.accountId = text;
    return UUID.test(text) ? null : 'account_id must be the id of an account.';
  },
};

/** Reads the filters of a list. Throws a problem that names the parameter. */
export function readFilters(request: FastifyRequest): Filters {
  const readers = readerOf(request).kind === 'operator' ? OPERATORS_READERS : READERS;
  const filters: Filters = { limit: LIMIT_DEFAULT };
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    const fault =
      reader === undefined
        ? `${name} is not a known parameter.`
        : typeof value === 'string'
          ? reader(value, filters)
          : `${name} must be given once.`;
    if (fault !== null)
      throw new ProblemError({ code: 'validation_failed', param: name, detail: fault });
  }
  return filters;
}

/** An id that cannot be one of ours is simply not there. */
export function readPaymentId(text: string): string {
  if (!UUID.test(text)) throw new ProblemError({ code: 'payment_not_found' });
  return text;
}

function readInstant(text: string, name: string, set: (at: Date) => void): string | null {
  const ms = RFC3339.test(text) && isCalendarDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) {
    return `${name} must be an RFC 3339 instant, such as 2026-12-01T00:00:00Z.`;
  }
  set(new Date(ms)); // tidy-allow: the caller's instant
  return null;
}

/** JavaScript takes 30 February for 2 March. */
function isCalendarDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day); // tidy-allow: the caller's day
}
