import type { FastifyRequest } from 'fastify';
import { readIdempotencyKey } from '#idempotency/key-spelling.js';
import { hashKey } from '#idempotency/processor-key.js';
import type { Paging } from '#operations/paging.js';
import { PAYMENT_STATUSES } from '#payments/payment-status.js';
import type { PageFilters } from '#payments/read-page.js';
import type { PaymentFilters } from '#payments/read-payments.js';
import type { RefundFilters } from '#payments/read-refunds.js';
import { REFUND_STATUSES } from '#payments/refund.js';
import { readerOf } from '#platform/auth.guard.js';
import { ProblemError } from '#platform/problem-error.js';

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

type Reader<Filters> = (text: string, filters: Filters) => string | null;
export type Readers<Filters> = Record<string, Reader<Filters>>;

/** An operator lists what every account has, or one of them. */
type OfAccount = { accountId?: string };

/** Reads the filters of the list of payments. Throws a problem that names the parameter. */
export function readFilters(request: FastifyRequest): PaymentFilters & OfAccount {
  return readQuery(request, PAYMENT_READERS);
}

/** The same for the list of refunds. */
export function readRefundFilters(request: FastifyRequest): RefundFilters & OfAccount {
  return readQuery(request, REFUND_READERS);
}

/** What every list takes. Each parameter sets its filter, or says what is wrong; any other name is refused. */
export const PAGE_READERS: Readers<PageFilters & { keyHash?: Buffer }> = {
  idempotency_key: (text, filters) => {
    const read = readIdempotencyKey(['Idempotency-Key', text]);
    if (read.kind !== 'key') return 'idempotency_key must be 1 to 255 printable ASCII characters.';
    filters.keyHash = hashKey(read.key);
    return null;
  },
  created_after: (text, filters) =>
    readInstant(text, 'created_after', (at) => (filters.createdAfter = at)),
  created_before: (text, filters) =>
    readInstant(text, 'created_before', (at) => (filters.createdBefore = at)),
  after: (text, filters) => {
    if (isId(text)) filters.after = text;
    return isId(text) ? null : 'after must be the "next" of the page before.';
  },
  limit: (text, filters) => {
    const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    filters.limit = limit;
    return limit >= 1 && limit <= LIMIT_MAX
      ? null
      : `limit must be a whole number from 1 to ${LIMIT_MAX}.`;
  },
};

const PAYMENT_READERS: Readers<PaymentFilters> = {
  ...PAGE_READERS,
  order_id: (text, filters) => {
    if (text === '' || [...text].length > 255 || text.includes('\0')) {
      return 'order_id must have 1 to 255 characters.';
    }
    filters.orderId = text;
    return null;
  },
  status: (text, filters) =>
    readWord(text, 'status', PAYMENT_STATUSES, (status) => (filters.status = status)),
};

const REFUND_READERS: Readers<RefundFilters> = {
  ...PAGE_READERS,
  payment_id: (text, filters) => {
    if (isId(text)) filters.paymentId = text;
    return isId(text) ? null : 'payment_id must be the id of a payment.';
  },
  status: (text, filters) =>
    readWord(text, 'status', REFUND_STATUSES, (status) => (filters.status = status)),
};

export const OPERATORS_READERS: Readers<OfAccount> = {
  account_id: (text, filters) => {
    if (isId(text)) filters.accountId = text;
    return isId(text) ? null : 'account_id must be the id of an account.';
  },
};

/** Of a list without filters: which page. */
export function readPaging(request: FastifyRequest): Paging {
  const { after, limit } = PAGE_READERS;
  return readPage(request, { ...(after && { after }), ...(limit && { limit }) });
}

/** Of the list of breaks. */
export function readBreakFilters(
  request: FastifyRequest,
): Paging & { status: 'open' | 'closed' | null } {
  const { after, limit } = PAGE_READERS;
  const readers: Readers<Paging & { status?: 'open' | 'closed' }> = {
    ...(after && { after }),
    ...(limit && { limit }),
    status: (text, filters) =>
      readWord(text, 'status', ['open', 'closed'], (status) => (filters.status = status)),
  };
  const filters = readPage(request, readers);
  return { ...filters, status: filters.status ?? null };
}

function readQuery<Filters extends PageFilters>(
  request: FastifyRequest,
  accountsReaders: Readers<Filters>,
): Filters & OfAccount {
  const readers: Readers<Filters & OfAccount> =
    readerOf(request).kind === 'operator'
      ? { ...accountsReaders, ...OPERATORS_READERS }
      : accountsReaders;
  return readPage(request, readers);
}

function readPage<Filters extends Paging>(
  request: FastifyRequest,
  readers: Readers<Filters>,
): Filters {
  return readParameters(request, readers, { limit: LIMIT_DEFAULT } as Partial<Filters>);
}

/** Each parameter that a route takes, at most once; any other is refused. */
export function readParameters<Filters extends object>(
  request: FastifyRequest,
  readers: Readers<Filters>,
  byDefault: Partial<Filters> = {},
): Filters {
  const filters = { ...byDefault } as Filters;
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

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** An id that cannot be one of ours is simply not there. */
export function readPaymentId(text: string): string {
  if (!isId(text)) throw new ProblemError({ code: 'payment_not_found' });
  return text;
}

export function readWord<Word extends string>(
  text: string,
  name: string,
  words: readonly Word[],
  set: (word: Word) => void,
): string | null {
  const word = words.find((known) => known === text);
  if (word === undefined) return `${name} must be one of ${words.join(', ')}.`;
  set(word);
  return null;
}

export function readInstant(text: string, name: string, set: (at: Date) => void): string | null {
  const at = parseInstant(text);
  if (at === null) return `${name} must be an RFC 3339 instant, such as 2026-12-01T00:00:00Z.`;
  set(at);
  return null;
}

/** Null for what is no RFC 3339 instant. */
export function parseInstant(text: string): Date | null {
  const ms = RFC3339.test(text) && isCalendarDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms); // tidy-allow: the caller's instant
}

/** JavaScript takes 30 February for 2 March. */
function isCalendarDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day); // tidy-allow: the caller's day
}
