import type { Bad } from './bad-books.js';
import { change, twin } from './bad-rows.js';

/** Keys, attempts and evidence; sums of refunds; accounts, secrets, and work that is left. */
export const BAD_STATES: readonly Bad[] = [
  {
    name: "a processor's key that does not follow from the caller's",
    by: 'I9',
    spoil: (draft) => {
      const fresh = '00000000-0000-8000-8000-000000000000';
      const operation = draft.operation('charge');
      draft.books.processor
        .filter((line) => line.metadata['payonce_intent'] === operation['processor_key'])
        .forEach((line) => {
          line.idempotency_key = fresh;
          line.metadata['payonce_intent'] = fresh;
        });
      change(operation, { processor_key: fresh });
    },
  },
  {
    name: "a refund's key that does not follow from the caller's",
    by: 'I9',
    spoil: (draft) => change(draft.operation('refund-1'), { processor_key: 'fresh' }),
  },
  {
    name: "a void's key that does not follow from the payment",
    by: 'I9',
    spoil: (draft) => change(draft.operation('void'), { processor_key: 'fresh' }),
  },
  {
    name: 'a missing attempt',
    by: 'I9',
    spoil: (draft) => draft.drop('attempts', draft.attempts('lose_response')[0]!),
  },
  {
    name: 'an attempt that was sent past the limit',
    by: 'I9',
    spoil: (draft) => change(draft.attempts('charge')[0]!, { opened_at: '2999-01-01T00:00:00Z' }),
  },
  {
    name: 'one operation declined by its successor and succeeded by its first owner',
    by: 'I13',
    spoil: (draft) => {
      const [attempt] = draft.attempts('charge');
      draft.add('attempts', { ...attempt, attempt_no: 2, outcome: 'declined' });
      change(draft.operation('charge'), { attempts_made: 2 });
    },
  },
  {
    name: 'a decline recorded over a success',
    by: 'I13',
    spoil: (draft) => change(draft.attempts('decline')[0]!, { outcome: 'succeeded' }),
  },
  {
    name: 'an end of an operation whose key never finished',
    by: 'I13',
    spoil: (draft) => change(draft.keyRow('charge'), { state: 'started' }),
  },
  {
    name: 'one event in the inbox twice',
    by: 'I14',
    spoil: (draft) => twin(draft, 'webhook_inbox', draft.table('webhook_inbox')[0]!),
  },
  {
    name: 'an event that could not be applied',
    by: 'I14',
    spoil: (draft) => change(draft.table('webhook_inbox')[0]!, { state: 'set_aside' }),
  },
  {
    name: "a success without the processor's id",
    by: 'I15',
    spoil: (draft) => change(draft.payment('charge'), { processor_id: null }),
  },
  {
    name: 'a failure without a reason',
    by: 'I15',
    spoil: (draft) => change(draft.payment('decline'), { failure_code: null }),
  },
  {
    name: 'a failure of what may have been charged, that nobody proved',
    by: 'I15',
    spoil: (draft) => {
      change(draft.attempts('decline')[0]!, { outcome: 'unknown' });
      const ours = draft.of('webhook_inbox', 'decline');
      draft.drop('webhook_inbox', ...ours);
    },
  },
  {
    name: 'a canceled payment of which an attempt is open',
    by: 'I15',
    spoil: (draft) => {
      const { account_id, id } = draft.operation('queued');
      change(draft.operation('queued'), { attempts_made: 1 });
      const attempt = { account_id, operation_id: id, attempt_no: 1, action: 'send' };
      draft.add('attempts', { ...attempt, outcome: null, opened_at: '2020-01-01T00:00:00Z' });
    },
  },
  {
    name: 'refunds above what was captured',
    by: 'I17',
    spoil: (draft) => {
      const refund = draft.refund('refund-2');
      change(refund, { amount: Number(refund['amount']) + 1 });
      change(draft.payment('to-refund'), { amount_refunded: 2501, amount_reserved: 2501 });
    },
  },
  {
    name: 'a reservation that no refund holds',
    by: 'I17',
    spoil: (draft) => change(draft.payment('charge'), { amount_reserved: 1 }),
  },
  {
    name: 'more captured than was asked for',
    by: 'I17',
    spoil: (draft) => change(draft.payment('charge'), { amount_captured: 2501 }),
  },
  {
    name: 'a refund told before its payment had succeeded',
    by: 'I17',
    spoil: (draft) => {
      const [first, second] = draft.of('outbox_events', 'to-refund');
      const { sequence } = first!;
      change(first!, { sequence: second!['sequence'] });
      change(second!, { sequence });
    },
  },
  {
    name: "an entry of another account's payment",
    by: 'I20',
    spoil: (draft) =>
      change(draft.entry('charge', 'charge'), { account_id: draft.accounts.second }),
  },
  {
    name: 'an attempt under another account',
    by: 'I20',
    spoil: (draft) => change(draft.attempts('charge')[0]!, { account_id: draft.accounts.second }),
  },
  {
    name: 'an answer saved under another account',
    by: 'I20',
    spoil: (draft) => change(draft.saved('decline'), { account_id: draft.accounts.second }),
  },
  {
    name: "a charge sent under another account's name",
    by: 'I20',
    spoil: (draft) => {
      draft.line('charge', 'charge').metadata['payonce_account'] = draft.accounts.second;
    },
  },
  {
    name: 'a secret in a description',
    by: 'I21',
    canary: 'canary-4000056655665556',
    spoil: (draft) =>
      change(draft.payment('charge'), { description: 'of canary-4000056655665556, please' }),
  },
  {
    name: 'a secret in the bytes of a saved answer',
    by: 'I21',
    canary: 'canary-4000056655665556',
    spoil: (draft) => {
      const hex = Buffer.from('{"a": "canary-4000056655665556"}').toString('hex');
      change(draft.saved('charge'), { body: `\\x${hex}` });
    },
  },
  {
    name: 'a secret that went to the processor',
    by: 'I21',
    canary: 'canary-4000056655665556',
    spoil: (draft) => {
      draft.line('charge', 'charge').metadata['note'] = 'canary-4000056655665556';
    },
  },
  {
    name: 'a key that nobody has finished',
    by: 'L1',
    spoil: (draft) => change(draft.keyRow('charge'), { state: 'started' }),
  },
  {
    name: 'a queued payment that nobody has taken up',
    by: 'L1',
    spoil: (draft) => change(draft.keyRow('done-later'), { state: 'queued' }),
  },
  {
    name: 'work that nobody has come back to',
    by: 'L5',
    spoil: (draft) => draft.add('unresolved', { ...draft.keyRow('charge'), review_at: null }),
  },
  {
    name: 'an event that nobody has applied',
    by: 'L5',
    spoil: (draft) => change(draft.table('webhook_inbox')[0]!, { state: 'received' }),
  },
];
