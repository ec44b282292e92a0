import type { Bad } from './bad-books.js';
import type { Draft } from './draft.js';

export const change = (row: Record<string, unknown>, to: Record<string, unknown>) =>
  void Object.assign(row, to);

export const twin = (draft: Draft, table: string, row: Record<string, unknown>) =>
  draft.add(table, { ...row });

/** Our database against itself: each thing once, whole or not at all, and only forward. */
export const BAD_ROWS: readonly Bad[] = [
  {
    name: 'a charge booked twice',
    by: 'I5',
    spoil: (draft) => twin(draft, 'ledger_entries', draft.entry('charge', 'charge')),
  },
  {
    name: 'a key that was claimed twice',
    by: 'I5',
    spoil: (draft) => twin(draft, 'idempotency_keys', draft.keyRow('charge')),
  },
  {
    name: 'two saved answers of one key',
    by: 'I5',
    spoil: (draft) => twin(draft, 'saved_answers', draft.saved('charge')),
  },
  {
    name: 'two charges of one payment',
    by: 'I5',
    spoil: (draft) => draft.add('operations', { ...draft.operation('charge'), id: 'another' }),
  },
  {
    name: 'two refunds of one operation',
    by: 'I5',
    spoil: (draft) => draft.add('refunds', { ...draft.refund('refund-1'), id: 'another' }),
  },
  {
    name: 'two live payments of one order',
    by: 'I5',
    spoil: (draft) => change(draft.payment('lost'), { order_id: '1042' }),
  },
  {
    name: 'two slots of one order',
    by: 'I5',
    spoil: (draft) => twin(draft, 'order_slots', draft.of('order_slots', 'charge')[0]!),
  },
  {
    name: 'a succeeded payment that is not booked',
    by: 'I6',
    spoil: (draft) => draft.drop('ledger_entries', draft.entry('charge', 'charge')),
  },
  {
    name: 'a finished key without its answer',
    by: 'I6',
    spoil: (draft) => draft.drop('saved_answers', draft.saved('decline')),
  },
  {
    name: 'a saved answer of a key that is not finished',
    by: 'I6',
    spoil: (draft) => change(draft.keyRow('charge'), { state: 'released' }),
  },
  {
    name: 'a pending payment that is in the ledger',
    by: 'I6',
    spoil: (draft) => change(draft.payment('charge'), { status: 'pending' }),
  },
  {
    name: 'a failed payment that is in the ledger',
    by: 'I6',
    spoil: (draft) => change(draft.payment('charge'), { status: 'failed', failure_code: 'x' }),
  },
  {
    name: 'a refund that was made and is not booked',
    by: 'I6',
    spoil: (draft) => draft.drop('ledger_entries', draft.entry('to-refund', 'refund')),
  },
  {
    name: 'a capture that was made and is not booked',
    by: 'I6',
    spoil: (draft) => draft.drop('ledger_entries', draft.entry('to-capture', 'capture')),
  },
  {
    name: 'a capture that was refused and is booked',
    by: 'I6',
    spoil: (draft) =>
      draft.add('ledger_entries', {
        ...draft.entry('to-capture', 'capture'),
        payment_id: draft.payment('refused-capture')['id'],
        source_id: draft.operation('capture-refused')['id'],
      }),
  },
  {
    name: 'a dispute that is not booked',
    by: 'I6',
    spoil: (draft) => draft.drop('ledger_entries', draft.entry('disputed dispute_lost', 'dispute')),
  },
  {
    name: 'late money whose entry is missing',
    by: 'I6',
    spoil: (draft) => draft.drop('ledger_entries', draft.entry('late null', 'late_success')),
  },
  {
    name: 'a failed payment that holds its order',
    by: 'I6',
    spoil: (draft) => {
      const { account_id, id } = draft.payment('decline');
      draft.add('order_slots', { account_id, order_id: null, payment_id: id });
    },
  },
  {
    name: 'finished work that is listed as unresolved',
    by: 'I6',
    spoil: (draft) => draft.add('unresolved', { ...draft.keyRow('charge'), review_at: null }),
  },
  {
    name: 'a step that is over and holds its place',
    by: 'I6',
    spoil: (draft) => {
      const { account_id, payment_id, id } = draft.operation('capture');
      draft.add('payment_steps', { account_id, payment_id, operation_id: id });
    },
  },
  {
    name: 'a missing event',
    by: 'I7',
    spoil: (draft) => draft.drop('outbox_events', draft.event('charge', 'payment.succeeded')),
  },
  {
    name: 'an event that was never written, nor counted',
    by: 'I7',
    spoil: (draft) => {
      draft.drop('outbox_events', draft.event('charge', 'payment.succeeded'));
      change(draft.payment('charge'), { event_sequence: 0 });
    },
  },
  {
    name: 'a gap in the events of a payment',
    by: 'I7',
    spoil: (draft) => change(draft.event('to-capture', 'payment.succeeded'), { sequence: 3 }),
  },
  {
    name: 'a payment that went back from succeeded to authorized',
    by: 'I7',
    spoil: (draft) => {
      change(draft.event('to-capture', 'payment.authorized'), { sequence: 2 });
      change(draft.of('outbox_events', 'to-capture', 'payment.succeeded')[0]!, { sequence: 1 });
      change(draft.payment('to-capture'), { status: 'authorized' });
    },
  },
  {
    name: 'a failed payment that succeeded with nobody accepting it',
    by: 'I7',
    spoil: (draft) => change(draft.payment('late accept'), { accepted_break_id: null }),
  },
  {
    name: 'a refund that was failed and then succeeded',
    by: 'I7',
    spoil: (draft) => {
      const key = 'refund pm_card_refundFail';
      const events = draft.of('outbox_events', key);
      const failed = events.find(({ type }) => type === 'refund.failed')!;
      const succeeded = events.find(({ type }) => type === 'refund.succeeded')!;
      const { sequence } = failed;
      change(failed, { sequence: succeeded['sequence'] });
      change(succeeded, { sequence });
    },
  },
  {
    name: 'a dispute whose end was told to nobody',
    by: 'I7',
    spoil: (draft) => {
      const event = draft.event('disputed dispute_lost', 'dispute.lost');
      draft.drop('outbox_events', event);
      const payment = draft.payment('disputed dispute_lost');
      change(payment, { event_sequence: Number(payment['event_sequence']) - 1 });
    },
  },
];
