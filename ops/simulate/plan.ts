import type { Mode } from '../../apps/mock-processor/src/faults.js';
import { Stream } from './stream.js';

/** One thing that a client wants, and how it asks for it. */
export type Wish = {
  kind: 'charge' | 'capture' | 'refund' | 'cancel' | 'cancel by key' | 'read';
  /** The idempotency key; of a cancellation by key, and of a read, only its name. */
  key: string;
  /** The key of the payment that it is about. */
  of: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** At times the same key comes with another body, which must change nothing. */
  otherBody: boolean;
};

export type ClientPlan = { name: string; account: number; wishes: Wish[] };

/** Everything about a schedule but its choices: who wants what, and the terms that all work by. */
export type Plan = {
  seed: string;
  clients: ClientPlan[];
  apis: number;
  workers: number;
  mode: Mode;
  lateSuccessPolicy: 'review' | 'refund';
  /** How often an event is delivered; what is not, the worker finds in the processor's list. */
  delivers: number;
  /** Events that happen at the bank, without a request. */
  bank: boolean;
};

const METHODS = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_chargeDeclined',
  'pm_card_chargeDeclinedInsufficientFunds',
  'pm_test_capture_refused',
  'pm_test_refund_refused',
  'pm_test_void_refused',
  'pm_card_pendingRefund',
  'pm_card_refundFail',
] as const;

const MODES: readonly Mode[] = [
  ...(Array(8).fill('normal') as Mode[]),
  'pin_5xx',
  'forget_non_2xx',
  'limiter_before_keys',
  'current_state_replay',
  'not_found_window',
  'stored_io_error',
  'running_422',
  'running_429',
];

/** The share of schedules in which somebody buys again what was paid back. */
const RETURNS = 0.02;

export function planOf(seed: string): Plan {
  const stream = new Stream(`${seed}/plan`);
  const clients = Array.from({ length: 2 + stream.below(2) }, (_, n) => {
    const name = `client${n + 1}`;
    const wishes = wishesOf(stream, `${name}-1`);
    if (stream.chance(0.3)) wishes.push(...wishesOf(stream, `${name}-2`));
    return { name, account: stream.chance(0.15) ? 1 : 0, wishes };
  });
  meet(stream, clients);
  if (new Stream(`${seed}/returns`).chance(RETURNS)) clients.push(whoBuysAgain());
  return {
    seed,
    clients,
    apis: 2,
    workers: stream.chance(0.3) ? 2 : 1,
    mode: stream.pick(MODES),
    lateSuccessPolicy: stream.pick(['review', 'refund']),
    delivers: stream.pick([0, 0, 0.5, 1]),
    bank: stream.chance(0.25),
  };
}

/** The refund had given the order free, and another payment has it when the money comes back: chance hardly meets it. */
function whoBuysAgain(): ClientPlan {
  const key = 'returns-1';
  const body = {
    amount: 2_500,
    currency: 'myr',
    payment_method: 'pm_card_refundFail',
    order_id: `order-${key}`,
  };
  const pay: Wish = { kind: 'charge', key, of: key, body, headers: {}, otherBody: false };
  const again = { ...structuredClone(pay), key: `${key}-again`, of: `${key}-again` };
  return { name: 'returns', account: 0, wishes: [pay, wish('refund', key, 'refund'), again] };
}

/** A payment, and what its client does with it later. */
function wishesOf(stream: Stream, key: string): Wish[] {
  const holds = stream.chance(0.3);
  const wishes = [charge(stream, key, holds)];
  if (stream.chance(0.2)) wishes.push(wish('read', key, 'read'));
  if (holds && stream.chance(0.6)) wishes.push(amountOf(stream, wish('capture', key, 'capture')));
  if (stream.chance(holds ? 0.4 : 0.1)) wishes.push(wish('cancel', key, 'cancel'));
  if (stream.chance(0.08)) wishes.push(wish('cancel by key', key, 'cancellation'));
  if (stream.chance(0.4)) wishes.push(amountOf(stream, wish('refund', key, 'refund')));
  if (stream.chance(0.1)) wishes.push(amountOf(stream, wish('refund', key, 'refund-2')));
  return wishes;
}

function charge(stream: Stream, key: string, holds: boolean): Wish {
  return {
    kind: 'charge',
    key,
    of: key,
    body: {
      amount: 100 + stream.below(9_900),
      currency: 'myr',
      payment_method: stream.pick(METHODS),
      ...(stream.chance(0.6) ? { order_id: `order-${key}` } : {}),
      ...(holds ? { capture: 'manual' } : {}),
    },
    headers: {
      ...(stream.chance(0.12) ? { Prefer: 'respond-async' } : {}),
      ...(stream.chance(0.08) ? { Prefer: 'wait=3' } : {}),
    },
    otherBody: stream.chance(0.1),
  };
}

function wish(kind: Wish['kind'], of: string, name: string): Wish {
  return { kind, key: `${of}-${name}`, of, body: {}, headers: {}, otherBody: false };
}

function amountOf(stream: Stream, wanted: Wish): Wish {
  if (stream.chance(0.5)) wanted.body['amount'] = 1 + stream.below(150);
  wanted.otherBody = stream.chance(0.1);
  return wanted;
}

/** Often two clients want the very same, the same order under another key, or something else of one payment. */
function meet(stream: Stream, clients: ClientPlan[]): void {
  const [first, second] = clients;
  const [wanted, ...later] = first?.wishes ?? [];
  if (!first || !second || !wanted || !stream.chance(0.65)) return;
  second.account = first.account;
  const again = structuredClone(wanted);
  if (stream.chance(0.2)) again.key = again.of = `${wanted.key}-again`;
  second.wishes.unshift(again);
  const same = later.map((one) => structuredClone(one));
  if (stream.chance(0.5)) for (const one of same) one.key = `${one.key}-again`;
  second.wishes.splice(1, 0, ...same);
}
