import { ENTRY_KINDS, type EntryKind, type LedgerAccount } from './entry-kinds.js';

/** One ledger entry to be: `amount` minor units from the credited account to the debited one. */
export type Transfer = {
  kind: EntryKind;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: number;
};

/**
 * The transfers of a charge: the money itself, and the processor's fee if the processor told it in the
 * charge's own currency. A fee in another currency, or none yet, is for reconciliation to book.
 */
export function chargeTransfers(charge: {
  amount: number;
  currency: string;
  fee: { amount: number; currency: string } | null;
}): Transfer[] {
  const transfers = [transfer('charge', charge.amount)];
  const { fee } = charge;
  if (fee !== null && fee.currency === charge.currency && fee.amount > 0) {
    transfers.push(transfer('processor_fee', fee.amount));
  }
  return transfers;
}

function transfer(kind: EntryKind, amount: number): Transfer {
  return { kind, ...ENTRY_KINDS[kind], amount };
}
