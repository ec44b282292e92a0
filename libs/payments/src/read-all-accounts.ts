import type { Db } from '#postgres/db.js';
import { PaymentRow } from './payment.entity.js';
import {
  FIND_ACCOUNT_OF_PAYMENT,
  LIST_ALL,
  LIST_ALL_OF_KEY,
  LIST_ALL_OF_ORDER,
  type PaymentName,
} from './read-all-accounts.sql.js';
import type { Page, ReadDeps } from './read-page.js';
import { type PaymentFilters, renderRows } from './read-payments.js';

/** Accounts of one mode: all that an operator sees. */
type Mode = 'test' | 'live';

/** Whose payment this is, for an operator. Null: none of this mode has it. */
export async function accountOfPayment(db: Db, mode: Mode, id: string): Promise<string | null> {
  const [found] = await db.run(FIND_ACCOUNT_OF_PAYMENT, [mode, id]);
  return found?.account_id ?? null;
}

/** A page of the payments of every account of a mode, or of one of them; newest first. For operators alone. */
export async function listAllPayments(
  deps: ReadDeps,
  mode: Mode,
  filters: PaymentFilters & { accountId?: string },
): Promise<Page> {
  const names = await namesOf(deps.db, mode, filters);
  const page = names.slice(0, filters.limit);
  const next = names.length > filters.limit ? (page.at(-1)?.id ?? null) : null;
  if (page.length === 0) return { data: [], next };
  const where = page.map(({ account_id: accountId, id }) => ({ accountId, id }));
  const rows = await deps.source.getRepository(PaymentRow).find({ where, order: { id: 'DESC' } });
  return { data: await renderRows(deps, rows), next };
}

function namesOf(
  db: Db,
  mode: Mode,
  filters: PaymentFilters & { accountId?: string },
): Promise<PaymentName[]> {
  const { keyHash, orderId } = filters;
  const values = [
    mode,
    filters.limit + 1,
    filters.accountId ?? null,
    filters.after ?? null,
    filters.status ?? null,
    filters.createdAfter ?? null,
    filters.createdBefore ?? null,
    orderId ?? null,
  ];
  if (keyHash !== undefined) return db.run(LIST_ALL_OF_KEY, [...values, keyHash]);
  return db.run(orderId === undefined ? LIST_ALL : LIST_ALL_OF_ORDER, values);
}
