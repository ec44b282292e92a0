import type { Db } from '#postgres/db.js';
import { PaymentRow } from './payment.entity.js';
import {
  FIND_ACCOUNT_OF_PAYMENT,
  FIND_ACCOUNT_OF_REFUND,
  LIST_ALL,
  LIST_ALL_OF_KEY,
  LIST_ALL_OF_ORDER,
  LIST_ALL_REFUNDS,
  LIST_ALL_REFUNDS_OF_KEY,
  type Name,
} from './read-all-accounts.sql.js';
import type { Page, PageFilters, ReadDeps } from './read-page.js';
import { type PaymentFilters, renderRows } from './read-payments.js';
import { type RefundFilters, renderRefundRow } from './read-refunds.js';
import { RefundRow } from './refund.entity.js';

/** Accounts of one mode: all that an operator sees. */
type Mode = 'test' | 'live';
type OfAccount = { accountId?: string };

/** Whose payment this is, for an operator. Null: none of this mode has it. */
export async function accountOfPayment(db: Db, mode: Mode, id: string): Promise<string | null> {
  const [found] = await db.run(FIND_ACCOUNT_OF_PAYMENT, [mode, id]);
  return found?.account_id ?? null;
}

/** The same of a refund. */
export async function accountOfRefund(db: Db, mode: Mode, id: string): Promise<string | null> {
  const [found] = await db.run(FIND_ACCOUNT_OF_REFUND, [mode, id]);
  return found?.account_id ?? null;
}

/** A page of the payments of every account of a mode, or of one of them; newest first. For operators alone. */
export async function listAllPayments(
  deps: ReadDeps,
  mode: Mode,
  filters: PaymentFilters & OfAccount,
): Promise<Page> {
  const { keyHash, orderId } = filters;
  const values = [...pageValues(mode, filters), orderId ?? null];
  const names =
    keyHash === undefined
      ? await deps.db.run(orderId === undefined ? LIST_ALL : LIST_ALL_OF_ORDER, values)
      : await deps.db.run(LIST_ALL_OF_KEY, [...values, keyHash]);
  const { where, next } = pageOf(names, filters);
  if (where.length === 0) return { data: [], next };
  const rows = await deps.source.getRepository(PaymentRow).find({ where, order: { id: 'DESC' } });
  return { data: await renderRows(deps, rows), next };
}

/** The same of refunds. */
export async function listAllRefunds(
  { db, source }: ReadDeps,
  mode: Mode,
  filters: RefundFilters & OfAccount,
): Promise<Page> {
  const { keyHash } = filters;
  const values = [...pageValues(mode, filters), filters.paymentId ?? null];
  const names =
    keyHash === undefined
      ? await db.run(LIST_ALL_REFUNDS, values)
      : await db.run(LIST_ALL_REFUNDS_OF_KEY, [...values, keyHash]);
  const { where, next } = pageOf(names, filters);
  if (where.length === 0) return { data: [], next };
  const rows = await source.getRepository(RefundRow).find({ where, order: { id: 'DESC' } });
  return { data: rows.map(renderRefundRow), next };
}

function pageValues(
  mode: Mode,
  filters: PageFilters & OfAccount & { status?: string },
): (string | number | Date | null)[] {
  return [
    mode,
    filters.limit + 1,
    filters.accountId ?? null,
    filters.after ?? null,
    filters.status ?? null,
    filters.createdAfter ?? null,
    filters.createdBefore ?? null,
  ];
}

function pageOf(names: Name[], { limit }: PageFilters) {
  const page = names.slice(0, limit);
  return {
    where: page.map(({ account_id: accountId, id }) => ({ accountId, id })),
    next: names.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}
