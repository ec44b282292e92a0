import type { Row } from '../../../ops/checker/books.js';
import type { Bad } from './bad-books.js';
import { change } from './bad-rows.js';
import type { Draft } from './draft.js';

/** What stands alone, or beside the wrong thing, and is right in itself. */
export const BAD_STRAYS: readonly Bad[] = [
  {
    name: 'a declined payment without its operation, of which nobody heard',
    by: 'I6',
    spoil: (draft) => {
      draft.drop('attempts', ...draft.attempts('decline'));
      draft.drop('operations', draft.operation('decline'));
    },
  },
  {
    name: 'a declined payment of which only events are left',
    by: 'I6',
    spoil: (draft) => {
      const key = 'decline';
      draft.drop('attempts', ...draft.attempts(key));
      draft.drop('operations', draft.operation(key));
      draft.drop('saved_answers', draft.saved(key));
      draft.drop('payments', draft.payment(key));
      draft.drop('idempotency_keys', draft.keyRow(key));
      draft.forget(key);
    },
  },
  {
    name: 'a key whose operation is gone',
    by: 'I6',
    spoil: (draft) => {
      draft.drop('attempts', ...draft.attempts('capture-refused'));
      draft.drop('operations', draft.operation('capture-refused'));
    },
  },
  {
    name: 'an operation without a key',
    by: 'I6',
    spoil: (draft) => {
      const key = 'capture-refused';
      const { id } = draft.operation(key);
      const { account_id, key_hash } = draft.keyRow(key);
      draft.drop('saved_answers', draft.saved(key));
      draft.books.database['idempotency_keys'] = draft
        .table('idempotency_keys')
        .filter((row) => row['account_id'] !== account_id || row['key_hash'] !== key_hash);
      for (const line of draft.heard(key)) Object.assign(line, LOST);
      if (id === undefined) throw new Error('no operation');
    },
  },
  {
    name: 'attempts of no operation',
    by: 'I6',
    spoil: (draft) => {
      const [attempt] = draft.attempts('charge');
      draft.add('attempts', { ...attempt, operation_id: ELSE });
    },
  },
  {
    name: 'a fee booked for no payment',
    by: 'I6',
    spoil: (draft) =>
      draft.add('ledger_entries', {
        ...draft.entry('charge', 'processor_fee'),
        payment_id: ELSE,
        source_id: ELSE,
      }),
  },
  {
    name: 'a fee booked twice under two sources',
    by: 'I3',
    spoil: (draft) =>
      draft.add('ledger_entries', { ...draft.entry('charge', 'processor_fee'), source_id: ELSE }),
  },
  {
    name: 'a refund that was ordered, and whose row is gone',
    by: 'I6',
    spoil: (draft) => {
      const key = 'refund pm_test_refund_refused';
      const refund = draft.refund(key);
      draft.drop('refunds', refund);
      draft.drop('outbox_events', ...draft.of('outbox_events', key).filter(isOf(refund)));
      const left = draft.of('outbox_events', key).length;
      change(draft.payment(key), { event_sequence: left });
      for (const line of draft.heard(key)) Object.assign(line, LOST);
    },
  },
  {
    name: 'two payments under one key',
    by: 'I5',
    spoil: (draft) =>
      draft.add('operations', { ...draft.operation('decline'), id: ELSE, payment_id: ELSE }),
  },
  {
    name: 'a declined payment recorded with another amount than it was tried with',
    by: 'I3',
    spoil: (draft) => {
      change(draft.payment('decline'), { amount: 9_999_999 });
      unheard(draft, 'decline');
    },
  },
  {
    name: 'a refund of more than was asked for, alike in rows, ledger and at the processor',
    by: 'I3',
    spoil: (draft) => {
      const refund = draft.refund('refund pm_card_pendingRefund');
      change(refund, { amount: 600 });
      for (const entry of draft.of('ledger_entries', 'refund pm_card_pendingRefund', 'refund'))
        change(entry, { amount: 600 });
      draft.line('refund pm_card_pendingRefund', 'refund').amount = 600;
      const payment = draft.payment('refund pm_card_pendingRefund');
      change(payment, { amount_refunded: 600, amount_reserved: 600 });
      unheard(draft, 'refund pm_card_pendingRefund');
    },
  },
  {
    name: 'another card than was asked for',
    by: 'I3',
    spoil: (draft) => change(draft.payment('lost'), { payment_method: 'pm_of_somebody' }),
  },
  {
    name: 'another order than was asked for',
    by: 'I3',
    spoil: (draft) => change(draft.payment('lost'), { order_id: 'of somebody' }),
  },
  {
    name: 'captured at once what was to be held',
    by: 'I3',
    spoil: (draft) => change(draft.payment('lost'), { capture: 'manual' }),
  },
  {
    name: 'an intent charged again without any key',
    by: 'I2',
    spoil: (draft) =>
      draft.addLine({ ...draft.line('charge', 'charge'), id: 'pi_x', idempotency_key: null }),
  },
  {
    name: "a charge sent under another operation's key",
    by: 'I9',
    spoil: (draft) => {
      const { processor_key: key } = draft.operation('refund-1');
      draft.line('charge', 'charge').idempotency_key = String(key);
    },
  },
  {
    name: "a refund sent under another refund's key",
    by: 'I9',
    spoil: (draft) => {
      const one = draft.books.processor.find(
        ({ id }) => id === draft.refund('refund-1')['processor_id'],
      )!;
      one.idempotency_key = String(
        draft.operation('refund pm_card_pendingRefund')['processor_key'],
      );
    },
  },
  {
    name: 'a refund sent under a key of nobody, and no reference with it',
    by: 'I9',
    spoil: (draft) => {
      const one = draft.books.processor.find(
        ({ id }) => id === draft.refund('refund-1')['processor_id'],
      )!;
      Object.assign(one, { idempotency_key: 'fresh', metadata: {} });
    },
  },
  {
    name: 'sent without any limit',
    by: 'I9',
    spoil: (draft) => change(draft.operation('charge'), { send_until: null }),
  },
  {
    name: 'money moved at the processor in a way that nobody knows',
    by: 'I2',
    spoil: (draft) => {
      const line = draft.line('charge', 'charge');
      draft.addLine({ ...line, operation: 'transfer', id: 'tr_1', parent: line.id });
    },
  },
  {
    name: 'a movement at the processor that hangs from nothing',
    by: 'I2',
    spoil: (draft) => {
      const line = draft.lineUnder(draft.payment('to-void')['processor_id'], 'void');
      draft.addLine({
        ...line,
        id: 'v',
        parent: 'pi_nowhere',
        metadata: {},
        idempotency_key: null,
      });
    },
  },
  {
    name: 'a movement of less than nothing at the processor',
    by: 'I3',
    spoil: (draft) => {
      const line = draft.line('charge', 'fee');
      line.amount = -line.amount;
    },
  },
  {
    name: 'a canceled payment that the processor still holds',
    by: 'I2',
    spoil: (draft) =>
      draft.dropLine(draft.lineUnder(draft.payment('to-void')['processor_id'], 'void')),
  },
  {
    name: 'a fingerprint of a kind that nobody can read',
    by: 'I11',
    spoil: (draft) => change(draft.keyRow('charge'), { fingerprint_version: 2 }),
  },
  {
    name: 'a live payment that lost its hold on the order',
    by: 'I5',
    spoil: (draft) => draft.drop('order_slots', ...draft.of('order_slots', 'charge')),
  },
  {
    name: 'a refund by ourselves of money that was not late',
    by: 'I4',
    spoil: (draft) => {
      const { break_id: of } = draft.row('refunds', (row) => row['break_id'] !== null);
      const row = draft.row('refunds', (one) => one['break_id'] === of);
      change(row, { break_id: null });
    },
  },
  {
    name: "an event of one account's payment in the inbox of another's",
    by: 'I20',
    spoil: (draft) => {
      const row = draft.of('webhook_inbox', 'charge')[0]!;
      change(row, { account_id: draft.accounts.second });
    },
  },
];

const ELSE = '00000000-0000-7000-8000-000000000000';
const LOST = { type: 'lost', status: undefined, text: undefined, headers: undefined };

const isOf = (row: Row) => (event: Row) => (event['payload'] as Row)['id'] === row['id'];

/** As if every answer had been lost. */
export function unheard(draft: Draft, key: string): void {
  for (const line of draft.heard(key)) Object.assign(line, LOST);
}
