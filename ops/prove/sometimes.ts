import type { Books, HistoryLine, Row } from '../checker/books.js';
import { isNotYet, type Since } from '../proof/milestones.js';
import { ACTIONS, REPLICA_POINTS } from '../proof/points.js';
import type { Journal } from './journal.js';

type Evidence = { books: Books; journal: Journal };
type Sometimes = { since?: Since; count: (evidence: Evidence) => number };

const NEWS_BREAKS = ['late_success', 'dispute_excess', 'refund_failed_late'];
/** What only a settlement report brings to light. */
export const REPORT_BREAKS = ['missing_here', 'missing_there', 'amount', 'fee'] as const;

/**
 * What a run must have met at least once to have proved anything. Each is counted in the books and the diary, after
 * the fact: a fault that was ordered and met nothing does not count.
 */
export const SOMETIMES: Record<string, Sometimes> = {
  'take-over while the old owner lives': {
    count: (evidence) => overlappingAttempts(evidence.books) + zombies(evidence),
  },
  'commit cut after, then a retry got its answer': {
    count: (evidence) => retriesAfterCuts(evidence),
  },
  'event before the answer of its request': { count: ({ books }) => earlyEvents(books) },
  'a zombie woke, and its write was refused': { count: (evidence) => zombies(evidence) },
  'a 5xx kept under the key at the processor': {
    count: ({ books }) => rows(books, 'operations').filter((row) => row['stored_error_at']).length,
  },
  'the same key at once, one told 409': {
    count: ({ books }) => answers(books, 409, 'idempotency_key_in_progress').length,
  },
  'other body under a key, told 422': {
    count: ({ books }) => answers(books, 422, 'idempotency_key_reused').length,
  },
  'a refund lost its race': {
    count: ({ books }) =>
      answers(books, 400, 'refund_exceeds_remaining').length +
      answers(books, 409, 'already_refunded').length,
  },
  'unknown, then proved charged': { count: ({ books }) => unknownThen(books, 'succeeded') },
  'unknown, then proved not charged': { count: ({ books }) => unknownThen(books, 'not_charged') },
  'event redelivered by the outbox': { since: 'F', count: () => 0 },
  ...edges(),
  ...breakTypes(),
  ...failpoints(),
};

/** Each counter with what it came to; what a later milestone brings is null. */
export function countSometimes(evidence: Evidence): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(SOMETIMES).map(([name, { since, count }]) => [
      name,
      isNotYet(since) ? null : count(evidence),
    ]),
  );
}

export function zerosOf(counters: Record<string, number | null>): string[] {
  return Object.keys(counters).filter((name) => counters[name] === 0);
}

/** By the events that were written with them: each says what its payment became. */
function edges(): Record<string, Sometimes> {
  const of = (name: string, from: string, to: string) => [
    `edge ${name}`,
    { count: ({ books }: Evidence) => walked(books, from, to) },
  ];
  return Object.fromEntries([
    of('pending to authorized', 'pending', 'authorized'),
    of('pending to succeeded', 'pending', 'succeeded'),
    of('pending to failed', 'pending', 'failed'),
    of('pending to canceled', 'pending', 'canceled'),
    of('authorized to succeeded', 'authorized', 'succeeded'),
    of('authorized to canceled', 'authorized', 'canceled'),
  ]);
}

function breakTypes(): Record<string, Sometimes> {
  return Object.fromEntries(
    [...NEWS_BREAKS, ...REPORT_BREAKS].map((kind) => [
      `break ${kind}`,
      {
        count: ({ books }: Evidence) =>
          rows(books, 'breaks').filter((row) => row['kind'] === kind).length,
      },
    ]),
  );
}

function failpoints(): Record<string, Sometimes> {
  return Object.fromEntries(
    Object.keys(REPLICA_POINTS).flatMap((point) =>
      ACTIONS.map((action) => {
        const name = `failpoint ${point} ${action}`;
        return [name, { count: ({ journal }: Evidence) => journal.counted(name) }];
      }),
    ),
  );
}

function rows(books: Books, table: string): Row[] {
  return books.database[table] ?? [];
}

function answers({ history }: Books, status: number, code: string): HistoryLine[] {
  return history.filter((line) => line.status === status && line.text?.includes(`"${code}"`));
}

/** Operations whose attempts overlap: the second began before the first had its end. */
function overlappingAttempts(books: Books): number {
  const all = [...groupBy(rows(books, 'attempts'), 'operation_id').values()];
  return all.filter((attempts) => {
    const inOrder = attempts.sort((one, other) => at(one, 'attempt_no') - at(other, 'attempt_no'));
    return inOrder.some((attempt, index) => {
      const next = inOrder[index + 1];
      const closed = attempt['closed_at'];
      return next && typeof closed === 'string' && closed > String(next['opened_at']);
    });
  }).length;
}

/** Owners that were stopped, went on, and found that another one had ended their work. */
function zombies({ books, journal }: Evidence): number {
  return Math.min(journal.counted('continued'), refusedWrites(books));
}

/** Attempts that never had an end, of operations that others have ended. */
function refusedWrites(books: Books): number {
  const all = [...groupBy(rows(books, 'attempts'), 'operation_id').values()];
  return all.filter(
    (attempts) =>
      attempts.some((one) => one['outcome'] === null) &&
      attempts.some((one) => ['succeeded', 'authorized'].includes(String(one['outcome']))),
  ).length;
}

function unknownThen(books: Books, outcome: string): number {
  const all = [...groupBy(rows(books, 'attempts'), 'operation_id').values()];
  return all.filter((attempts) => {
    const seen = new Set(attempts.map((attempt) => attempt['outcome'] ?? 'unknown'));
    return seen.has('unknown') && seen.has(outcome);
  }).length;
}

/** Events that were here before the attempt that caused them had its end. */
function earlyEvents(books: Books): number {
  const operations = new Map(rows(books, 'operations').map((row) => [row['id'], row]));
  const ends = new Map<unknown, string>();
  for (const attempt of rows(books, 'attempts')) {
    const operation = operations.get(attempt['operation_id']);
    if (operation?.['kind'] !== 'charge' || typeof attempt['closed_at'] !== 'string') continue;
    ends.set(operation['payment_id'], attempt['closed_at']);
  }
  return rows(books, 'webhook_inbox').filter((event) => {
    const end = ends.get(event['payment_id']);
    return end !== undefined && String(event['stored_at']) < end;
  }).length;
}

/** Requests without an end while a confirmation was cut, whose key was answered from what is saved later on. */
function retriesAfterCuts({ books, journal }: Evidence): number {
  const cutsAt = journal.happenings.filter(({ kind }) => kind === 'cut_after').map((one) => one.at);
  const begun = new Map<string, number>();
  const cut = new Set<string>();
  let count = 0;
  for (const { type, call, at: when, key, account, headers, status = 0 } of books.history) {
    if (key === null) continue;
    const intent = `${account} ${key}`;
    if (type === 'invoke') begun.set(call, when);
    else if (type === 'lost' || status === 202 || status >= 500) {
      const from = begun.get(call) ?? when;
      if (cutsAt.some((moment) => moment >= from && moment <= when)) cut.add(intent);
    } else if (headers?.idempotent_replayed === 'true' && cut.delete(intent)) count += 1;
  }
  return count;
}

/** Payments whose events tell of the step from one status to the other. */
function walked(books: Books, from: string, to: string): number {
  const byPayment = groupBy(rows(books, 'outbox_events'), 'payment_id');
  return [...byPayment.values()].filter((events) => {
    const types = events
      .sort((one, other) => at(one, 'sequence') - at(other, 'sequence'))
      .map((event) =>
        /^payment\.(authorized|succeeded|failed|canceled)$/.exec(String(event['type'])),
      )
      .flatMap((found) => found?.[1] ?? []);
    const path = ['pending', ...types];
    return path.some((status, index) => status === from && path[index + 1] === to);
  }).length;
}

function at(row: Row, column: string): number {
  return Number(row[column]);
}

function groupBy(all: readonly Row[], column: string): Map<unknown, Row[]> {
  const groups = new Map<unknown, Row[]>();
  for (const row of all) {
    const group = groups.get(row[column]);
    if (group) group.push(row);
    else groups.set(row[column], [row]);
  }
  return groups;
}
