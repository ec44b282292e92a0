import type { Bad } from './bad-books.js';

/** What moved at the processor and what is recorded of it: once, known here, and to the cent. */
export const BAD_MONEY: readonly Bad[] = [
  {
    name: 'a charge made twice under one key',
    by: 'I1',
    spoil: (draft) => draft.addLine({ ...draft.line('charge', 'charge'), id: 'pi_twin' }),
  },
  {
    name: 'a capture made twice',
    by: 'I1',
    spoil: (draft) => draft.addLine(draft.line('to-capture', 'capture')),
  },
  {
    name: 'a refund made twice',
    by: 'I1',
    spoil: (draft) => draft.addLine({ ...draft.line('refund-1', 'refund'), id: 're_twin' }),
  },
  {
    name: 'an intent charged again under another processor key',
    by: 'I9',
    spoil: (draft) => {
      const line = draft.line('charge', 'charge');
      draft.addLine({ ...line, id: 'pi_other', idempotency_key: 'another' });
    },
  },
  {
    name: 'an intent authorized again under another processor key',
    by: 'I1',
    spoil: (draft) => {
      const line = draft.line('to-hold', 'authorize');
      draft.addLine({ ...line, id: 'pi_other', idempotency_key: 'another' });
    },
  },
  {
    name: 'a charge that nobody here knows of',
    by: 'I2',
    spoil: (draft) => {
      draft.drop('operations', draft.operation('charge'));
    },
  },
  {
    name: 'a refund at the processor without a row',
    by: 'I2',
    spoil: (draft) => draft.drop('refunds', draft.refund('refund-1')),
  },
  {
    name: 'a dispute at the processor without a row',
    by: 'I2',
    spoil: (draft) => draft.drop('disputes', ...draft.of('disputes', 'disputed dispute_lost')),
  },
  {
    name: 'a dispute that was won there and is open here',
    by: 'I2',
    spoil: (draft) => {
      draft.of('disputes', 'disputed dispute_won')[0]!['status'] = 'open';
    },
  },
  {
    name: 'an authorization given up there and held here',
    by: 'I2',
    spoil: (draft) => {
      draft.payment('to-void')['status'] = 'authorized';
    },
  },
  {
    name: 'a charge of one cent more than was asked for',
    by: 'I3',
    spoil: (draft) => {
      draft.line('charge', 'charge').amount += 1;
    },
  },
  {
    name: 'a charge in another currency',
    by: 'I3',
    spoil: (draft) => {
      draft.line('charge', 'charge').currency = 'sgd';
    },
  },
  {
    name: 'a charge of half a cent',
    by: 'I3',
    spoil: (draft) => {
      draft.line('charge', 'charge').amount = 2500.5;
    },
  },
  {
    name: 'a ledger entry of one cent less than was charged',
    by: 'I3',
    spoil: (draft) => {
      draft.entry('charge', 'charge')['amount'] = 2499;
    },
  },
  {
    name: 'a ledger entry in another currency',
    by: 'I3',
    spoil: (draft) => {
      draft.entry('charge', 'charge')['currency'] = 'sgd';
    },
  },
  {
    name: 'a ledger entry that is no whole number',
    by: 'I18',
    spoil: (draft) => {
      draft.entry('charge', 'charge')['amount'] = '2500.0';
    },
  },
  {
    name: 'a payment of one cent more than was charged',
    by: 'I3',
    spoil: (draft) => {
      draft.payment('charge')['amount'] = 2501;
    },
  },
  {
    name: 'another amount than was asked for, alike in all that came after',
    by: 'I3',
    spoil: (draft) => {
      draft.operation('lost')['amount'] = 1202;
    },
  },
  {
    name: 'a refund booked one cent above what was made',
    by: 'I3',
    spoil: (draft) => {
      draft.entry('to-refund', 'refund')['amount'] = 1001;
    },
  },
  {
    name: "two refunds booked with each other's amounts",
    by: 'I3',
    spoil: (draft) => {
      const [one, other] = draft.of('ledger_entries', 'to-refund', 'refund');
      const { amount } = one!;
      Object.assign(one!, { amount: other!['amount'] });
      Object.assign(other!, { amount });
    },
  },
  {
    name: 'a capture booked one cent above what was made',
    by: 'I3',
    spoil: (draft) => {
      draft.entry('to-capture', 'capture')['amount'] = 4101;
    },
  },
  {
    name: 'a dispute booked one cent below what the bank took',
    by: 'I3',
    spoil: (draft) => {
      draft.entry('disputed dispute_lost', 'dispute')['amount'] = 2499;
    },
  },
  {
    name: 'a fee of one cent too much',
    by: 'I3',
    spoil: (draft) => {
      const fee = draft.entry('charge', 'processor_fee');
      fee['amount'] = Number(fee['amount']) + 1;
    },
  },
  {
    name: 'a fee that is not booked',
    by: 'I3',
    spoil: (draft) => draft.drop('ledger_entries', draft.entry('charge', 'processor_fee')),
  },
];
