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
  /** What the processor has paid out. */
  bank: 'asset',
  /** What the processor holds or has taken, and nobody has decided yet whose it is. */
  suspense: 'liability',
} as const satisfies Record<string, 'asset' | 'liability' | 'expense'>;
export type LedgerAccount = keyof typeof LEDGER_ACCOUNTS;

export const ENTRY_KINDS = {
  /** A charge was captured at once: the processor holds the money, and we owe it to the merchant. */
  charge: { debit: 'processor_clearing', credit: 'merchant_payable' },
  /** The processor deducts its fee for the charge from what it holds. */
  processor_fee: { debit: 'processor_fees', credit: 'processor_clearing' },
  /** An authorization was captured, in a step of its own. */
  capture: { debit: 'processor_clearing', credit: 'merchant_payable' },
  /** The processor took money for a refund. */
  refund: { debit: 'merchant_payable', credit: 'processor_clearing' },

  /** A refund that the processor had taken came back. */
  refund_failed: { debit: 'processor_clearing', credit: 'merchant_payable' },

  /** Money came for a payment that was final: it is not the merchant's before somebody decides. */
  late_success: { debit: 'processor_clearing', credit: 'suspense' },
  /** Somebody accepted it: the payment has succeeded after all. */
  late_success_accepted: { debit: 'suspense', credit: 'merchant_payable' },
  /** It was given back. */
  late_success_refund: { debit: 'suspense', credit: 'processor_clearing' },
  /** The processor's fee for a charge beside the one that paid, or that came after another late one. */
  late_success_fee: { debit: 'processor_fees', credit: 'processor_clearing' },
  /** What was given back came back, days later: it stands in suspense again. */
  late_success_refund_failed: { debit: 'processor_clearing', credit: 'suspense' },

  /** A bank took money for a dispute, up to what was left on the payment. */
  dispute: { debit: 'merchant_payable', credit: 'processor_clearing' },
  /** What it took above that. */
  dispute_excess: { debit: 'suspense', credit: 'processor_clearing' },
  /** The bank gave back what stood against the merchant. */
  dispute_won: { debit: 'processor_clearing', credit: 'merchant_payable' },
  /** The bank gave back what stood in suspense. */
  dispute_excess_won: { debit: 'processor_clearing', credit: 'suspense' },
  /** There is room on the payment again: that much of a dispute is the merchant's, not suspense's. */
  dispute_excess_settled: { debit: 'merchant_payable', credit: 'suspense' },
  /** The processor keeps a fee for the dispute itself. */
  dispute_fee: { debit: 'processor_fees', credit: 'processor_clearing' },
  /** It gave that fee back. */
  dispute_fee_returned: { debit: 'processor_clearing', credit: 'processor_fees' },

  /** The processor paid out what it held for a payment. Its source is the payout. */
  payout: { debit: 'bank', credit: 'processor_clearing' },
  /** A payout took back: more had gone than had come of this payment. */
  payout_returned: { debit: 'processor_clearing', credit: 'bank' },
} as const satisfies Record<string, { debit: LedgerAccount; credit: LedgerAccount }>;
export type EntryKind = keyof typeof ENTRY_KINDS;

/** Kinds for a statement: their names, what each debits, and what it credits. */
export function kindColumns(kinds: readonly EntryKind[]): [EntryKind[], string[], string[]] {
  return [
    [...kinds],
    kinds.map((kind) => ENTRY_KINDS[kind].debit),
    kinds.map((kind) => ENTRY_KINDS[kind].credit),
  ];
}

/** What is read of an account by the kind of its entries: a part has no entries of its own. */
export const LEDGER_PARTS = {
  /** What was given back of what we owe the merchant. */
  refunds: { of: 'merchant_payable', kinds: ['refund', 'refund_failed'] },
  /** What banks have taken of it. */
  disputes: { of: 'merchant_payable', kinds: ['dispute', 'dispute_won', 'dispute_excess_settled'] },
} as const satisfies Record<string, { of: LedgerAccount; kinds: readonly EntryKind[] }>;
export type LedgerPart = keyof typeof LEDGER_PARTS;
