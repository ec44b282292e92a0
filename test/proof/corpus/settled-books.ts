import { randomUUID } from 'node:crypto';
import type { Row } from '../../../ops/checker/books.js';
import type { Draft } from './draft.js';

/** Of a transaction so late that nobody has linked it yet. */
const NEW = '9000000000';
/** What payout `po_1` of the mock is known by in the ledger. */
const PO_1 = '4102cc8e-c536-8c34-9c77-2ff68b461908';

/** Books in which the report's news is booked as well: the fee of a dispute, and what was paid out. */
export function settle(draft: Draft): { fee: Row; payout: Row } {
  const like = draft.entry('disputed dispute_lost', 'charge');
  const [dispute] = draft.of('disputes', 'disputed dispute_lost');
  const { amount } = draft.lineUnder(dispute!['processor_id'], 'dispute_fee');
  const fee: Row = {
    ...like,
    id: randomUUID(),
    source_id: dispute!['id'],
    entry_kind: 'dispute_fee',
    debit_account: 'processor_fees',
    credit_account: 'processor_clearing',
    amount,
    recorded_xid: NEW,
  };
  const payout: Row = {
    ...draft.entry('charge', 'charge'),
    id: randomUUID(),
    source_id: PO_1,
    entry_kind: 'payout',
    debit_account: 'bank',
    credit_account: 'processor_clearing',
    amount: 2397,
    recorded_xid: NEW,
  };
  draft.add('ledger_entries', fee);
  draft.add('ledger_entries', payout);
  const line = draft.line('charge', 'charge');
  const paid = { idempotency_key: null, id: 'po_1', parent: null, amount: -2397, metadata: {} };
  draft.addLine({ ...line, ...paid, operation: 'payout', status: 'paid' });
  return { fee, payout };
}
