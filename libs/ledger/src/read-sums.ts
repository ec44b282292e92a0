import { sumAmounts } from '#money/money.js';
import type { Db } from '#postgres/db.js';
import { CHART, type ChartLine, normalSide } from './chart.js';
import { READ_ALL_SUMS, READ_SUMS, type SumRow } from './read-sums.sql.js';

/** Whose ledger is read: an account's own; or, by an operator, one account of a mode or all of them. */
export type LedgerReader =
  | { kind: 'account'; accountId: string }
  | { kind: 'operator'; mode: 'test' | 'live'; accountId?: string };

export const BASES = ['effective', 'recorded'] as const;
/** By which of the two times of an entry: when it happened, or when it was booked. */
export type Basis = (typeof BASES)[number];

/** Until when, that instant included. Without one: all that is booked by now. */
export type AsOf = { asOf?: Date; basis: Basis };

/** Debits and credits of every account in each currency, and that they are equal. */
export async function readTrialBalance(db: Db, reader: LedgerReader, at: AsOf): Promise<object> {
  const { asOf, sums } = await readSums(db, reader, at);
  const data = currenciesOf(sums).map((currency) => {
    const ofCurrency = sums.filter((sum) => sum.currency === currency);
    const accounts = CHART.map((line) => ({
      ...describe(line),
      ...renderBalance(line, ofCurrency),
    }));
    const whole = accounts.filter((account) => account.part_of === null);
    const debits = sumAmounts(whole.map((account) => account.debits));
    const credits = sumAmounts(whole.map((account) => account.credits));
    return { currency, debits, credits, accounts };
  });
  return { object: 'trial_balance', as_of: asOf, basis: at.basis, data };
}

/** The chart, each account with its balance in each currency that it has entries in. */
export async function readAccounts(db: Db, reader: LedgerReader): Promise<object> {
  const { sums } = await readSums(db, reader, { basis: 'recorded' });
  const data = CHART.map((line) => ({
    object: 'ledger_account',
    ...describe(line),
    normal_side: normalSide(line),
    balances: balancesOf(line, sums),
  }));
  return { data, next: null };
}

/** One account of the chart, as of an instant. */
export async function readBalance(
  db: Db,
  reader: LedgerReader,
  line: ChartLine,
  at: AsOf,
): Promise<object> {
  const { asOf, sums } = await readSums(db, reader, at);
  return {
    object: 'ledger_balance',
    ...describe(line),
    as_of: asOf,
    basis: at.basis,
    data: balancesOf(line, sums),
  };
}

type Sum = Omit<SumRow, 'as_of' | 'currency' | 'entries' | 'amount'> & {
  currency: string;
  entries: number;
  amount: bigint;
};

async function readSums(db: Db, reader: LedgerReader, { asOf, basis }: AsOf) {
  const mode = reader.kind === 'operator' ? reader.mode : null;
  const { accountId = null } = reader;
  const values = [accountId, mode, asOf ? endOf(asOf) : null, basis];
  const rows = await db.run(accountId === null ? READ_ALL_SUMS : READ_SUMS, values);
  const sums: Sum[] = rows.flatMap(({ currency, entries, amount, ...sum }) =>
    currency === null
      ? []
      : [{ ...sum, currency, entries: Number(entries), amount: BigInt(amount) }],
  );
  return { asOf: rows[0]?.as_of.toISOString() ?? null, sums };
}

/** Entries have microseconds, and are told with milliseconds: what is told as of that instant counts. */
function endOf(millisecond: Date): string {
  return millisecond.toISOString().replace('Z', '999Z');
}

function currenciesOf(sums: readonly Sum[]): string[] {
  return [...new Set(sums.map(({ currency }) => currency))].sort();
}

function describe({ name, type, account }: ChartLine) {
  return { name, type, part_of: account === name ? null : account };
}

function balancesOf(line: ChartLine, sums: readonly Sum[]): object[] {
  return currenciesOf(sums.filter((sum) => isOf(line, sum))).map((currency) => ({
    currency,
    ...renderBalance(
      line,
      sums.filter((sum) => sum.currency === currency),
    ),
  }));
}

/** Sums may pass 2^53, and leave as text. */
function renderBalance(line: ChartLine, ofCurrency: readonly Sum[]) {
  const mine = ofCurrency.filter((sum) => isOf(line, sum));
  const on = (side: 'debit_account' | 'credit_account') =>
    mine
      .filter((sum) => sum[side] === line.account)
      .reduce((total, { amount }) => total + amount, 0n);
  const debits = on('debit_account');
  const credits = on('credit_account');
  const balance = normalSide(line) === 'debit' ? debits - credits : credits - debits;
  return {
    debits: debits.toString(),
    credits: credits.toString(),
    balance: balance.toString(),
    entries: mine.reduce((count, { entries }) => count + entries, 0),
  };
}

function isOf({ account, kinds }: ChartLine, sum: Sum): boolean {
  const isOnIt = sum.debit_account === account || sum.credit_account === account;
  return isOnIt && (kinds === null || kinds.some((kind) => kind === sum.entry_kind));
}
