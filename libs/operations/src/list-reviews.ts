import type { Db } from '#postgres/db.js';
import { redact } from '#problems/redact.js';
import { type Page, type Paging, pageOf } from './paging.js';
import { type AttemptRow, LIST_REVIEWS, READ_ATTEMPTS, type ReviewRow } from './reviews.sql.js';

/** Attempts shown of one operation. `attempts_made` tells how many there were. */
const ATTEMPTS_SHOWN_MAX = 50;

type Mode = 'test' | 'live';

/** A page of the review queue, oldest first. */
export async function listReviews(db: Db, mode: Mode, { limit, after }: Paging): Promise<Page> {
  const rows = await db.run(LIST_REVIEWS, [mode, limit + 1, after ?? null, null]);
  const render = await rendererOf(db, rows);
  return pageOf(rows, limit, ({ operation_id: id }) => id, render);
}

/** One entry of the queue; null if the operation does not lie in it. */
export async function readReview(db: Db, mode: Mode, operationId: string): Promise<object | null> {
  const rows = await db.run(LIST_REVIEWS, [mode, 1, null, operationId]);
  const render = await rendererOf(db, rows);
  return rows.map(render)[0] ?? null;
}

async function rendererOf(db: Db, rows: ReviewRow[]): Promise<(row: ReviewRow) => object> {
  const attempts = new Map<string, AttemptRow[]>();
  if (rows.length > 0) {
    const found = await db.run(READ_ATTEMPTS, [
      rows.map(({ account_id: id }) => id),
      rows.map(({ operation_id: id }) => id),
      ATTEMPTS_SHOWN_MAX,
    ]);
    for (const row of found) {
      const { operation_id: id } = row;
      attempts.set(id, [...(attempts.get(id) ?? []), row]);
    }
  }
  return (row) => renderReview(row, attempts.get(row.operation_id) ?? []);
}

function renderReview(row: ReviewRow, attempts: AttemptRow[]): object {
  return {
    operation_id: row.operation_id,
    kind: row.kind,
    account_id: row.account_id,
    payment_id: row.payment_id,
    refund_id: row.refund_id,
    amount: Number(row.amount),
    currency: row.currency,
    since: row.since.toISOString(),
    review_at: row.review_at.toISOString(),
    tries: row.tries,
    reason: redact(row.reason),
    attempts_made: row.attempts_made,
    attempts: attempts.map(renderAttempt),
    processor: { name: row.processor_name, id: row.target_id },
  };
}

function renderAttempt(row: AttemptRow): object {
  return {
    attempt_no: row.attempt_no,
    action: row.action,
    actor: row.actor,
    outcome: row.outcome,
    detail: row.detail === null ? null : redact(row.detail),
    opened_at: row.opened_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
  };
}
