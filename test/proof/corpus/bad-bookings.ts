import { randomUUID } from 'node:crypto';
import type { Bad } from './bad-books.js';
import { settle } from './settled-books.js';

/** Booked, and never done; done, and never asked for; more than there was. */
export const BAD_BOOKINGS: readonly Bad[] = [
  {
    name: 'a charge in the ledger that the processor never made',
    by: 'I4',
    spoil: (draft) => draft.dropLine(draft.line('charge', 'charge')),
  },
  {
    name: 'a capture in the ledger that the processor never made',
    by: 'I4',
    spoil: (draft) => draft.dropLine(draft.line('to-capture', 'capture')),
  },
  {
    name: 'a refund in the ledger that the processor never made',
    by: 'I4',
    spoil: (draft) => draft.dropLine(draft.line('refund-2', 'refund')),
  },
  {
    name: 'a dispute in the ledger that no bank opened',
    by: 'I4',
    spoil: (draft) => draft.dropLine(draft.line('disputed dispute_lost', 'dispute')),
  },
  {
    name: 'a dispute booked as won that no bank gave back',
    by: 'I4',
    spoil: (draft) => {
      const { processor_id: id } = draft.of('disputes', 'disputed dispute_won')[0]!;
      draft.dropLine(draft.lineUnder(id, 'dispute_won'));
    },
  },
  {
    name: 'a fee booked for no dispute',
    by: 'I4',
    spoil: (draft) => {
      const { fee } = settle(draft);
      fee['source_id'] = draft.payment('disputed dispute_lost')['id'];
    },
  },
  {
    name: 'the fee of a dispute booked one cent too high',
    by: 'I3',
    spoil: (draft) => {
      const { fee } = settle(draft);
      fee['amount'] = Number(fee['amount']) + 1;
    },
  },
  {
    name: 'a fee of a dispute booked as given back that was kept',
    by: 'I4',
    spoil: (draft) => {
      const { fee } = settle(draft);
      Object.assign(fee, {
        entry_kind: 'dispute_fee_returned',
        debit_account: 'processor_clearing',
        credit_account: 'processor_fees',
      });
    },
  },
  {
    name: 'a payout from what we owe the merchant',
    by: 'I18',
    spoil: (draft) => {
      settle(draft).payout['credit_account'] = 'merchant_payable';
    },
  },
  {
    name: 'a payout in a currency in which the processor paid nothing out',
    by: 'I4',
    spoil: (draft) => {
      settle(draft);
      draft.dropLine(draft.books.processor.find(({ operation }) => operation === 'payout')!);
    },
  },
  {
    name: 'a payout of another name than the processor’s',
    by: 'I4',
    spoil: (draft) => {
      settle(draft).payout['source_id'] = randomUUID();
    },
  },
  {
    name: 'a payout of more than the processor held for the payment',
    by: 'I3',
    spoil: (draft) => {
      settle(draft).payout['amount'] = 2398;
    },
  },
  {
    name: 'late money in suspense that never came',
    by: 'I4',
    spoil: (draft) => draft.dropLine(draft.line('late null', 'charge')),
  },
  {
    name: 'a failed refund that never came back',
    by: 'I4',
    spoil: (draft) => {
      const { processor_id: id } = draft.refund('refund pm_card_refundFail');
      draft.dropLine(draft.lineUnder(id, 'refund_failed'));
    },
  },
  {
    name: 'a charge that nobody asked for',
    by: 'I4',
    spoil: (draft) => draft.forget('charge'),
  },
  {
    name: 'a charge whose one request was lost, and never sent at all',
    by: 'I4',
    spoil: (draft) => draft.forget('lost'),
  },
  {
    name: 'a refund that nobody asked for',
    by: 'I4',
    spoil: (draft) => draft.forget('refund-1'),
  },
  {
    name: 'a charge at the processor under no reference of anybody',
    by: 'I4',
    spoil: (draft) => {
      const line = draft.line('charge', 'charge');
      draft.addLine({ ...line, id: 'pi_foreign', metadata: {}, idempotency_key: 'foreign' });
    },
  },
  {
    name: 'money for a failed payment, and no break',
    by: 'I16',
    spoil: (draft) => {
      draft.drop('breaks', ...draft.of('breaks', 'late null'));
      draft.drop('ledger_entries', ...draft.of('ledger_entries', 'late null'));
    },
  },
  {
    name: 'a failed payment that the processor charged',
    by: 'I16',
    spoil: (draft) => {
      Object.assign(draft.payment('charge'), { status: 'failed', failure_code: 'card_declined' });
    },
  },
  {
    name: 'a canceled payment that the processor captured',
    by: 'I16',
    spoil: (draft) => {
      draft.payment('to-capture')['status'] = 'canceled';
    },
  },
  {
    name: 'more given back at the processor than was taken',
    by: 'I17',
    spoil: (draft) => {
      draft.line('to-refund', 'refund').amount += 2500;
    },
  },
  {
    name: 'more captured at the processor than was held',
    by: 'I17',
    spoil: (draft) => {
      draft.line('to-capture', 'capture').amount = 5001;
    },
  },
  {
    name: 'given back at the processor before it was taken',
    by: 'I17',
    spoil: (draft) => {
      const refund = draft.line('to-refund', 'refund');
      draft.dropLine(refund);
      draft.books.processor.unshift(refund);
    },
  },
  {
    name: 'an entry with its accounts the other way round',
    by: 'I18',
    spoil: (draft) => {
      const entry = draft.entry('charge', 'charge');
      const { debit_account: debit, credit_account: credit } = entry;
      Object.assign(entry, { debit_account: credit, credit_account: debit });
    },
  },
  {
    name: 'an entry of less than nothing',
    by: 'I18',
    spoil: (draft) => {
      draft.entry('charge', 'charge')['amount'] = -2500;
    },
  },
  {
    name: 'an entry of a kind that does not exist',
    by: 'I18',
    spoil: (draft) => {
      draft.entry('charge', 'processor_fee')['entry_kind'] = 'tip';
    },
  },
  {
    name: 'money moved from the merchant to suspense for nothing',
    by: 'I18',
    spoil: (draft) => {
      draft.add('ledger_entries', {
        ...draft.entry('charge', 'charge'),
        id: '01a233e6-aba2-79be-9656-082ea888f483',
        entry_kind: 'dispute_excess_settled',
        debit_account: 'merchant_payable',
        credit_account: 'suspense',
        amount: 1,
        recorded_xid: '9000000000',
      });
    },
  },
];
