import type { HistoryLine } from '../../../ops/checker/books.js';
import type { Bad } from './bad-books.js';
import type { Draft } from './draft.js';

const change = (line: HistoryLine, to: Partial<HistoryLine>) => void Object.assign(line, to);

/** Changes the text of an answer; throws where it says nothing of the kind. */
function reword(line: HistoryLine, from: string | RegExp, to: string): void {
  const text = line.text?.replace(from, to);
  if (text === undefined || text === line.text) throw new Error(`${line.text} says no ${from}`);
  line.text = text;
}

const reading = (draft: Draft) => draft.lastRead('lose_response');

/** What clients heard. */
export const BAD_ANSWERS: readonly Bad[] = [
  {
    name: 'a replay in other bytes',
    by: 'I10',
    spoil: (draft) => reword(draft.last('lose_response'), '{', '{ '),
  },
  {
    name: 'a success that is replayed as a decline',
    by: 'I10',
    spoil: (draft) => {
      const { status, text, headers } = draft.last('decline');
      draft.addCall(draft.last('lose_response'), { status, text, headers } as HistoryLine);
    },
  },
  {
    name: 'a replay with another status',
    by: 'I10',
    spoil: (draft) => change(draft.last('lose_response'), { status: 200 }),
  },
  {
    name: 'a replay with another Content-Type',
    by: 'I10',
    spoil: (draft) => {
      draft.last('lose_response').headers!.content_type = 'text/plain';
    },
  },
  {
    name: 'a replay with another Location',
    by: 'I10',
    spoil: (draft) => {
      draft.last('lose_response').headers!.location = '/v1/payments/another';
    },
  },
  {
    name: 'a replay that names another request than the claiming one',
    by: 'I10',
    spoil: (draft) => {
      draft.last('lose_response').headers!.original_request = 'req_another';
    },
  },
  {
    name: 'a cut answer that is not the beginning of the saved one',
    by: 'I10',
    spoil: (draft) => reword(draft.first('"cut"'), '"id":"', '"id":"0'),
  },
  {
    name: 'a cut answer with another status than was saved',
    by: 'I10',
    spoil: (draft) => change(draft.first('"cut"'), { status: 402, text: '{' }),
  },
  {
    name: 'other bytes saved than were answered',
    by: 'I10',
    spoil: (draft) => {
      const saved = draft.saved('decline');
      saved['body'] = String(saved['body']).replace(/7d$/, '207d');
    },
  },
  {
    name: 'a retry that is told "not yet" after the end',
    by: 'I10',
    spoil: (draft) => {
      const { status, text } = draft.first('lose_response');
      draft.addCall(draft.last('lose_response'), { status, text } as HistoryLine);
    },
  },
  {
    name: 'a retry that is told to be running after the end',
    by: 'I10',
    spoil: (draft) =>
      draft.addCall(draft.last('lose_response'), {
        status: 409,
        text: '{"code":"idempotency_key_in_progress"}',
      }),
  },
  {
    name: 'another body that was answered with the payment of the first',
    by: 'I11',
    spoil: (draft) => {
      const body = '{"amount":2600,"currency":"myr","payment_method":"pm_123"}';
      draft.addCall(draft.last('lose_response'), {}, { body });
    },
  },
  {
    name: 'another path that was answered under the same key',
    by: 'I11',
    spoil: (draft) => {
      const other = draft.payment('charge')['id'];
      draft.addCall(draft.last('refund-1'), {}, { path: `/v1/payments/${String(other)}/refunds` });
    },
  },
  {
    name: 'a claim of a request that nobody sent',
    by: 'I11',
    spoil: (draft) => {
      draft.keyRow('lost')['fingerprint'] = draft.keyRow('charge')['fingerprint'];
    },
  },
  {
    name: 'a retry that is refused as another request',
    by: 'I11',
    spoil: (draft) =>
      draft.addCall(draft.last('lose_response'), {
        status: 422,
        text: '{"code":"idempotency_key_reused"}',
      }),
  },
  {
    name: 'an answered key that is gone',
    by: 'I12',
    spoil: (draft) => draft.drop('idempotency_keys', draft.keyRow('charge')),
  },
  {
    name: 'an answered payment whose answer is gone',
    by: 'I12',
    spoil: (draft) => draft.drop('saved_answers', draft.saved('charge')),
  },
  {
    name: 'an answered payment that is gone',
    by: 'I12',
    spoil: (draft) => draft.drop('payments', draft.payment('decline')),
  },
  {
    name: 'an accepted payment that is gone, of which nothing final was ever said',
    by: 'I12',
    spoil: (draft) => draft.drop('payments', draft.payment('queued')),
  },
  {
    name: 'a refund that was told and is gone',
    by: 'I12',
    spoil: (draft) => draft.drop('refunds', draft.refund('refund-2')),
  },
  {
    name: 'a key told to be canceled that is not',
    by: 'I12',
    spoil: (draft) => {
      draft.keyRow('never-seen')['state'] = 'queued';
    },
  },
  {
    name: 'a payment that was told and then not found',
    by: 'I12',
    spoil: (draft) => change(reading(draft), { status: 404, text: '{"code":"payment_not_found"}' }),
  },
  {
    name: 'a payment that was told succeeded and then read pending',
    by: 'I7',
    spoil: (draft) => reword(reading(draft), '"status":"succeeded"', '"status":"pending"'),
  },
  {
    name: 'a payment that was told succeeded and is failed',
    by: 'I7',
    spoil: (draft) => reword(reading(draft), '"status":"succeeded"', '"status":"failed"'),
  },
  {
    name: 'an answer of one cent more than is recorded',
    by: 'I3',
    spoil: (draft) => reword(reading(draft), '"amount":2500', '"amount":2501'),
  },
  {
    name: 'an answer of another captured amount than is recorded',
    by: 'I3',
    spoil: (draft) => reword(reading(draft), '"amount_captured":2500', '"amount_captured":2499'),
  },
  {
    name: 'an answer in another currency',
    by: 'I3',
    spoil: (draft) => reword(reading(draft), '"currency":"myr"', '"currency":"sgd"'),
  },
  {
    name: 'an amount that is answered as a string',
    by: 'I3',
    spoil: (draft) => reword(reading(draft), '"amount":2500', '"amount":"2500"'),
  },
  {
    name: 'an amount that is answered as a fraction',
    by: 'I3',
    spoil: (draft) => reword(reading(draft), '"amount":2500', '"amount":2500.0'),
  },
  {
    name: 'an amount that is answered in tens',
    by: 'I3',
    spoil: (draft) => reword(reading(draft), '"amount":2500', '"amount":25e2'),
  },
  {
    name: 'an amount that is answered in major units',
    by: 'I3',
    spoil: (draft) => reword(reading(draft), '"amount":2500', '"amount":25.00'),
  },
  {
    name: "an answer that tells of another account's payment",
    by: 'I20',
    spoil: (draft) => {
      const mine = draft.payment('charge')['id'];
      const theirs = draft.row(
        'payments',
        ({ account_id: account }) => account === draft.accounts.second,
      );
      reword(draft.first('charge-again'), String(mine), String(theirs['id']));
    },
  },
  {
    name: 'a secret in an answer',
    by: 'I21',
    canary: 'canary-4000056655665556',
    spoil: (draft) => reword(reading(draft), '"myr"', '"canary-4000056655665556"'),
  },
  {
    name: 'an internal error',
    by: 'I23',
    spoil: (draft) => change(reading(draft), { status: 500, text: '{"code":"internal_error"}' }),
  },
  {
    name: 'an overload that does not say when to come back',
    by: 'I23',
    spoil: (draft) => {
      delete draft.first('busy').headers!.retry_after;
    },
  },
  {
    name: 'a stack in an answer',
    by: 'I23',
    spoil: (draft) =>
      change(draft.first('bad'), { text: '{"detail":"Error\\n    at pay (/srv/a.js:10:5)"}' }),
  },
  {
    name: 'a statement in an answer',
    by: 'I23',
    spoil: (draft) => change(draft.first('bad'), { text: '{"detail":"SELECT id FROM payments"}' }),
  },
];
