import type { Db } from '#postgres/db.js';
import { redact } from '#problems/redact.js';
import { type BreakListRow, LIST_BREAKS } from './breaks.sql.js';
import { type Page, type Paging, pageOf } from './paging.js';

type Mode = 'test' | 'live';

/** A page of the breaks of one mode, newest first. */
export async function listBreaks(
  db: Db,
  mode: Mode,
  { limit, after, status }: Paging & { status: 'open' | 'closed' | null },
): Promise<Page> {
  const rows = await db.run(LIST_BREAKS, [mode, limit + 1, after ?? null, null, status]);
  return pageOf(rows, limit, ({ id }) => id, renderBreak);
}

/** One break; null if there is none of this mode. */
export async function readBreak(db: Db, mode: Mode, id: string): Promise<object | null> {
  const [row] = await db.run(LIST_BREAKS, [mode, 1, null, id, null]);
  return row ? renderBreak(row) : null;
}

function renderBreak(row: BreakListRow): object {
  return {
    id: row.id,
    object: 'break',
    kind: row.kind,
    reference: row.reference,
    account_id: row.account_id,
    payment_id: row.payment_id,
    processor: row.processor_name,
    severity: row.severity,
    amount: row.amount === null ? null : Number(row.amount),
    currency: row.currency,
    status: row.status,
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
    refund_ordered_at: row.refund_ordered_at?.toISOString() ?? null,
    write_off_asked_by: row.write_off_asked_by,
    closed_at: row.closed_at?.toISOString() ?? null,
    closed_by: row.closed_by,
    reason_code: row.reason_code,
    reason: row.reason === null ? null : redact(row.reason),
    details: row.details,
  };
}
