import { redact } from '#problems/redact.js';
import { type Payment, type UnresolvedReason, renderPayment } from './payment.js';
import { PaymentRow } from './payment.entity.js';
import type { PaymentStatus } from './payment-status.js';
import { type Page, type PageFilters, type ReadDeps, readPage } from './read-page.js';
import { FIND_UNRESOLVED, FIND_WORK_OF_KEY, READ_TIMELINE } from './read-payments.sql.js';

export type PaymentFilters = PageFilters & {
  keyHash?: Buffer;
  orderId?: string;
  status?: PaymentStatus;
};

/** One payment as callers see it, or null: "not yours" and "not there" are the same. @keeps P8 */
export async function readPayment(
  deps: ReadDeps,
  accountId: string,
  id: string,
): Promise<object | null> {
  const row = await deps.source.getRepository(PaymentRow).findOneBy({ accountId, id });
  if (row === null) return null;
  const [rendered] = await renderRows(deps, [row]);
  return rendered ?? null;
}

/** A page of an account's payments, newest first. */
export async function listPayments(
  deps: ReadDeps,
  accountId: string,
  { keyHash, orderId, status, ...filters }: PaymentFilters,
): Promise<Page> {
  const query = deps.source
    .getRepository(PaymentRow)
    .createQueryBuilder('p')
    .where('p.accountId = :accountId', { accountId });
  if (keyHash !== undefined) {
    const [key] = await deps.db.run(FIND_WORK_OF_KEY, [accountId, keyHash]);
    if (!key) return { data: [], next: null };
    query.andWhere('p.id = :keyPayment', { keyPayment: key.payment_id });
  }
  if (orderId !== undefined) query.andWhere('p.orderId = :orderId', { orderId });
  if (status !== undefined) query.andWhere('p.status = :status', { status });
  const { rows, next } = await readPage(query, filters);
  return { data: await renderRows(deps, rows), next };
}

/** Every step, attempt, takeover and answer of a payment, oldest first; null if there is no such payment. */
export async function readTimeline(
  { db, source }: ReadDeps,
  accountId: string,
  id: string,
): Promise<Page | null> {
  const exists = await source.getRepository(PaymentRow).existsBy({ accountId, id });
  if (!exists) return null;
  const steps = await db.run(READ_TIMELINE, [accountId, id]);
  const data = steps.map(({ at, kind, request_id, attempt_no, detail }) => ({
    at: at.toISOString(),
    kind,
    request_id,
    attempt_no,
    detail: detail === null ? null : redact(detail),
  }));
  return { data, next: null };
}

/** Rows as callers see them, with what is under way, or waits. */
export async function renderRows({ db }: ReadDeps, rows: PaymentRow[]): Promise<object[]> {
  const open = new Map<string, string[]>();
  for (const { accountId, id, status } of rows) {
    if (isOpen(status)) open.set(accountId, [...(open.get(accountId) ?? []), id]);
  }
  const reasons = new Map<string, UnresolvedReason>();
  for (const [accountId, ids] of open) {
    for (const found of await db.run(FIND_UNRESOLVED, [accountId, ids])) {
      reasons.set(found.payment_id, found.reason);
    }
  }
  return rows.map((row) => renderPayment(paymentOf(row), reasons.get(row.id) ?? null));
}

/** Only of these can a charge, a capture or a void be under way. */
function isOpen(status: PaymentStatus): boolean {
  return status === 'pending' || status === 'authorized';
}

function paymentOf(row: PaymentRow): Payment {
  const { failureCode } = row;
  return {
    id: row.id,
    accountId: row.accountId,
    status: row.status,
    amount: Number(row.amount),
    amountCaptured: Number(row.amountCaptured),
    amountRefunded: Number(row.amountRefunded),
    amountDisputed: Number(row.amountDisputed),
    currency: row.currency,
    paymentMethod: row.paymentMethod,
    orderId: row.orderId,
    description: row.description,
    metadata: row.metadata,
    capture: row.capture,
    failure:
      failureCode === null
        ? null
        : { code: failureCode, message: row.failureMessage ?? '', declineCode: row.declineCode },
    processorName: row.processorName,
    processorId: row.processorId,
    createdAt: row.createdAt,
    settledAt: row.settledAt,
  };
}
