import {
  type EntryKind,
  LEDGER_ACCOUNTS,
  LEDGER_PARTS,
  type LedgerAccount,
  type LedgerPart,
} from './entry-kinds.js';

/** An account of the chart, or a part of one: what a reader of the ledger can ask for by name. */
export type ChartLine = {
  name: LedgerAccount | LedgerPart;
  type: (typeof LEDGER_ACCOUNTS)[LedgerAccount];
  /** The account that its entries stand on. */
  account: LedgerAccount;
  /** Of a part: the kinds that it consists of. */
  kinds: readonly EntryKind[] | null;
};

/** Every account, and behind each its parts. */
export const CHART: readonly ChartLine[] = (
  Object.keys(LEDGER_ACCOUNTS) as LedgerAccount[]
).flatMap((account) => [
  { name: account, type: LEDGER_ACCOUNTS[account], account, kinds: null },
  ...partsOf(account),
]);

export const CHART_NAMES = CHART.map(({ name }) => name);

/** Null for a name that the chart does not have. */
export function chartLine(name: string): ChartLine | null {
  return CHART.find((line) => line.name === name) ?? null;
}

/** The side on which a balance is positive. A part counts like its account. */
export function normalSide({ type }: ChartLine): 'debit' | 'credit' {
  return type === 'liability' ? 'credit' : 'debit';
}

function partsOf(account: LedgerAccount): ChartLine[] {
  return (Object.keys(LEDGER_PARTS) as LedgerPart[])
    .filter((name) => LEDGER_PARTS[name].of === account)
    .map((name) => {
      const { kinds } = LEDGER_PARTS[name];
      return { name, type: LEDGER_ACCOUNTS[account], account, kinds };
    });
}
