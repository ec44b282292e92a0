import type { Row } from '../../../ops/checker/books.js';
import type { Bad } from './bad-books.js';
import { change } from './bad-rows.js';
import { unheard } from './bad-strays.js';

/** What is told, or is about to be, and is true of something else. */
export const BAD_WORDS: readonly Bad[] = [
  {
    name: "an answer that is saved and told, and tells of the account's other payment",
    by: 'I10',
    spoil: (draft) => {
      const other = draft.saved('lose_response');
      const { body, location, content_type } = other;
      change(draft.saved('lost'), { body, location, content_type });
    },
  },
  {
    name: 'an answer that is saved and told, and tells of nothing',
    by: 'I10',
    spoil: (draft) => change(draft.saved('lost'), { body: bytes('{}') }),
  },
  {
    name: 'a saved answer that nobody has heard yet, of one cent more',
    by: 'I3',
    spoil: (draft) => {
      const saved = draft.saved('lost');
      const text = textOf(saved['body']).replace('"amount":1201', '"amount":1202');
      change(saved, { body: bytes(text) });
    },
  },
  {
    name: 'a success saved for a payment that failed',
    by: 'I7',
    spoil: (draft) => {
      const saved = draft.saved('decline');
      const text = textOf(saved['body']).replace('"status":"failed"', '"status":"succeeded"');
      change(saved, { body: bytes(text) });
      unheard(draft, 'decline');
    },
  },
  {
    name: 'a payment that is read under the id of another',
    by: 'I3',
    spoil: (draft) => {
      const other = draft.lastRead('lose_response');
      const own = draft.lastRead('charge');
      Object.assign(own, { text: other.text });
    },
  },
  {
    name: 'another account that reads a payment by its id',
    by: 'I20',
    spoil: (draft) => {
      const own = draft.lastRead('charge');
      const path = own.path;
      const theirs = draft.books.history.find(
        (line) =>
          line.type === 'answer' && line.account === draft.accounts.second && line.path === path,
      )!;
      Object.assign(theirs, { status: 200, text: own.text });
    },
  },
  {
    name: 'an event that tells of another amount',
    by: 'I3',
    spoil: (draft) => {
      const event = draft.event('charge', 'payment.succeeded');
      change(event['payload'] as Row, { amount: 2501 });
    },
  },
  {
    name: 'an event that tells of another payment',
    by: 'I3',
    spoil: (draft) => {
      const event = draft.event('charge', 'payment.succeeded');
      change(event['payload'] as Row, { id: draft.payment('decline')['id'] });
    },
  },
  {
    name: 'an answer that tells of more refunded than was captured',
    by: 'I17',
    spoil: (draft) => {
      const read = draft.lastRead('charge');
      read.text = read.text!.replace('"amount_refunded":0', '"amount_refunded":2501');
    },
  },
  {
    name: "an answer with the processor's id of another payment",
    by: 'I3',
    spoil: (draft) => {
      const read = draft.lastRead('charge');
      read.text = read.text!.replace(/"id":"pi_[^"]+"/, '"id":"pi_of_somebody"');
    },
  },
];

const bytes = (text: string) => `\\x${Buffer.from(text).toString('hex')}`;
const textOf = (body: unknown) => Buffer.from(String(body).slice(2), 'hex').toString('utf8');
