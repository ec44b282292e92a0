/**
 * The accounts of the chart, per merchant account and currency, and the kinds of transfer between them.
 * A kind is data: which account is debited and which is credited never depends on the code around it.
 */
export const LEDGER_ACCOUNTS = {
  /** What we owe the merchant. */
  merchant_payable: 'liability',
  /** What the processor holds for us until it pays out. */
  processor_clearing: 'asset',
  /** What the processor keeps for its work. */
  processor_fees: 'expense',
} as const satisfies Record<string, 'asset' | 'liability' | 'expense'>;
export type LedgerAccount = keyof typeof LEDGER_ACCOUNTS;

export const ENTRY_KINDS = {
  /** A charge was captured: the processor holds the money, and we owe it to the merchant. */
  charge: { debit: 'processor_clearing', credit: 'merchant_payable' },
  /** The processor deducts its fee for the charge from what it holds. */
  processor_fee: { debit: 'processor_fees', credit: 'processor_clearing' },
} as const satisfies Record<string, { debit: LedgerAccount; credit: LedgerAccount }>;
export type EntryKind = keyof typeof ENTRY_KINDS;
