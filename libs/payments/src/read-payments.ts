import type { DataSource } from 'typeorm';
import { redact } from '#problems/redact.js';
import type { Db } from '#postgres/db.js';
import { type Payment, type UnresolvedReason, renderPayment } from './payment.js';
import { PaymentRow } from './payment.entity.js';
import type { PaymentStatus } from './payment-status.js';
import { FIND_PAYMENT_OF_KEY, FIND_UNRESOLVED, READ_TIMELINE } from './read-payments.sql.js';

export type ReadDeps = { db: Db; source: DataSource };

export type PaymentFilters = {
  keyHash?: Buffer;
  orderId?: string;
  status?: PaymentStatus;
  createdAfter?: Date;
  createdBefore?: Date;
  /** The last payment of the page before. */
  after?: string;
  limit: number;
};

export type Page = { data: object[]; next: string | null };

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
  filters: PaymentFilters,
): Promise<Page> {
  const query = deps.source
    .getRepository(PaymentRow)
    .createQueryBuilder('p')
    .where('p.accountId = :accountId', { accountId })
    .orderBy('p.id', 'DESC')
    .take(filters.limit + 1);
  if (filters.keyHash !== undefined) {
    const [key] = await deps.db.run(FIND_PAYMENT_OF_KEY, [accountId, filters.keyHash]);
    if (!key) return { data: [], next: null };
    query.andWhere('p.id = :keyPayment', { keyPayment: key.payment_id });
  }
  if (filters.orderId !== undefined)
    query.andWhere('p.orderId = :orderId', { orderId: filters.orderId });
  if (filters.status !== undefined)
    query.andWhere('p.status = :status', { status: filters.status });
  if (filters.createdAfter)
    query.andWhere('p.createdAt > :createdAfter', { createdAfter: filters.createdAfter });
  if (filters.createdBefore)
    query.andWhere('p.createdAt < :createdBefore', { createdBefore: filters.createdBefore });
  if (filters.after !== undefined) query.andWhere('p.id < :after', { after: filters.after });
  const rows = await query.getMany();
  const page = rows.slice(0, filters.limit);
  const next = rows.length > filters.limit ? (page.at(-1)?.id ?? null) : null;
  return { data: await renderRows(deps, page), next };
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

/** Rows as callers see them, those that are pending with the reason why. */
export async function renderRows({ db }: ReadDeps, rows: PaymentRow[]): Promise<object[]> {
  const pending = new Map<string, string[]>();
  for (const { accountId, id, status } of rows) {
    if (status === 'pending') pending.set(accountId, [...(pending.get(accountId) ?? []), id]);
  }
  const reasons = new Map<string, UnresolvedReason>();
  for (const [accountId, ids] of pending) {
    for (const found of await db.run(FIND_UNRESOLVED, [accountId, ids])) {
      reasons.set(found.payment_id, found.reason);
    }
  }
  return rows.map((row) => renderPayment(paymentOf(row), reasons.get(row.id) ?? null));
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
