import type { Db } from '#postgres/db.js';
import { type ChartLine, normalSide } from './chart.js';
import type { LedgerReader } from './read-sums.js';
import { READ_STATEMENT, type StatementRow } from './read-statement.sql.js';

export type StatementFilters = {
  currency?: string;
  /** By the time of booking. */
  createdAfter?: Date;
  createdBefore?: Date;
  /** The last entry of the page before. */
  after?: string;
  limit: number;
};

/** One account of the chart of one account of ours. */
export type StatementReader = LedgerReader & { accountId: string };

/** One entry as its account sees it. Amounts are minor units as text. */
export type StatementLine = {
  id: string;
  recorded_at: string;
  effective_at: string;
  entry_kind: string;
  payment_id: string;
  source_id: string;
  order_id: string | null;
  /** The account on the other side. */
  counterpart: string;
  currency: string;
  debit: string | null;
  credit: string | null;
  /** Of the account in this currency, after this entry. */
  balance: string;
};

/** One page, oldest first; `next` is null on the last one. */
export async function readStatement(
  db: Db,
  reader: StatementReader,
  line: ChartLine,
  filters: StatementFilters,
): Promise<{ data: StatementLine[]; next: string | null }> {
  const rows = await db.run(READ_STATEMENT, [
    reader.accountId,
    reader.kind === 'operator' ? reader.mode : null,
    line.account,
    line.kinds,
    filters.currency ?? null,
    filters.after ?? null,
    filters.createdAfter ?? null,
    filters.createdBefore ?? null,
    filters.limit + 1,
  ]);
  const page = rows.slice(0, filters.limit);
  const next = rows.length > filters.limit ? (page.at(-1)?.id ?? null) : null;
  return { data: page.map((row) => renderLine(line, row)), next };
}

function renderLine(line: ChartLine, row: StatementRow): StatementLine {
  const isDebit = row.debit_account === line.account;
  const balance = BigInt(row.debit_balance);
  return {
    id: row.id,
    recorded_at: row.recorded_at.toISOString(),
    effective_at: row.effective_at.toISOString(),
    entry_kind: row.entry_kind,
    payment_id: row.payment_id,
    source_id: row.source_id,
    order_id: row.order_id,
    counterpart: isDebit ? row.credit_account : row.debit_account,
    currency: row.currency,
    debit: isDebit ? row.amount : null,
    credit: isDebit ? null : row.amount,
    balance: (normalSide(line) === 'debit' ? balance : -balance).toString(),
  };
}
