import { type Page, type PageFilters, type ReadDeps, readPage } from './read-page.js';
import { FIND_WORK_OF_KEY } from './read-payments.sql.js';
import { RefundRow } from './refund.entity.js';
import { type Refund, renderRefund } from './refund.js';

export type RefundFilters = PageFilters & {
  keyHash?: Buffer;
  paymentId?: string;
  status?: Refund['status'];
};

/** One refund as callers see it, or null: "not yours" and "not there" are the same. @keeps P8 */
export async function readRefund(
  { source }: ReadDeps,
  accountId: string,
  id: string,
): Promise<object | null> {
  const row = await source.getRepository(RefundRow).findOneBy({ accountId, id });
  return row && renderRefundRow(row);
}

/** Which operation a pending refund waits for; null if there is no such refund, or it is final. */
export async function findPendingRefund(
  { source }: ReadDeps,
  accountId: string,
  id: string,
): Promise<{ paymentId: string; operationId: string } | null> {
  return source.getRepository(RefundRow).findOneBy({ accountId, id, status: 'pending' });
}

/** A page of an account's refunds, newest first. */
export async function listRefunds(
  { db, source }: ReadDeps,
  accountId: string,
  { keyHash, paymentId, status, ...filters }: RefundFilters,
): Promise<Page> {
  const query = source
    .getRepository(RefundRow)
    .createQueryBuilder('r')
    .where('r.accountId = :accountId', { accountId });
  if (keyHash !== undefined) {
    const [key] = await db.run(FIND_WORK_OF_KEY, [accountId, keyHash]);
    if (!key) return { data: [], next: null };
    query.andWhere('r.operationId = :operationId', { operationId: key.operation_id });
  }
  if (paymentId !== undefined) query.andWhere('r.paymentId = :paymentId', { paymentId });
  if (status !== undefined) query.andWhere('r.status = :status', { status });
  const { rows, next } = await readPage(query, filters);
  return { data: rows.map(renderRefundRow), next };
}

export function renderRefundRow(row: RefundRow): object {
  return renderRefund(refundOf(row));
}

function refundOf(row: RefundRow): Refund {
  const { failureCode } = row;
  return {
    id: row.id,
    accountId: row.accountId,
    paymentId: row.paymentId,
    status: row.status,
    amount: Number(row.amount),
    currency: row.currency,
    reason: row.reason,
    failure:
      failureCode === null
        ? null
        : { code: failureCode, message: row.failureMessage ?? '', declineCode: row.declineCode },
    breakId: row.breakId,
    processorId: row.processorId,
    createdAt: row.createdAt,
    settledAt: row.settledAt,
  };
}
