import type { Mode } from '../../apps/mock-processor/src/faults.js';
import { Stream } from './stream.js';

/** One thing that a client wants, and how it asks for it. */
export type Wish = {
  kind: 'charge';
  key: string;
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
};

const METHODS = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_chargeDeclined',
  'pm_card_chargeDeclinedInsufficientFunds',
] as const;

export function planOf(seed: string): Plan {
  const stream = new Stream(`${seed}/plan`);
  const clients = Array.from({ length: 2 + stream.below(2) }, (_, n) => ({
    name: `client${n + 1}`,
    account: stream.chance(0.2) ? 1 : 0,
    wishes: [] as Wish[],
  }));
  for (const client of clients) {
    const count = 1 + stream.below(2);
    for (let n = 1; n <= count; n += 1) client.wishes.push(charge(stream, `${client.name}-${n}`));
  }
  doubleClick(stream, clients);
  return {
    seed,
    clients,
    apis: 2,
    workers: 1,
    mode: 'normal',
    lateSuccessPolicy: stream.pick(['review', 'refund']),
  };
}

function charge(stream: Stream, key: string): Wish {
  return {
    kind: 'charge',
    key,
    body: {
      amount: 1 + stream.below(9_999),
      currency: 'myr',
      payment_method: stream.pick(METHODS),
      ...(stream.chance(0.7) ? { order_id: `order-${key}` } : {}),
    },
    headers: {
      ...(stream.chance(0.1) ? { Prefer: 'respond-async' } : {}),
      ...(stream.chance(0.1) ? { Prefer: 'wait=3' } : {}),
    },
    otherBody: stream.chance(0.1),
  };
}

/** Often two clients want the very same, or the same order under another key. */
function doubleClick(stream: Stream, clients: ClientPlan[]): void {
  const [first, second] = clients;
  const wish = first?.wishes[0];
  if (!first || !second || !wish || !stream.chance(0.6)) return;
  second.account = first.account;
  const again = structuredClone(wish);
  if (stream.chance(0.2)) again.key = `${wish.key}-again`;
  second.wishes.unshift(again);
}
