import { readDisputeFound, readPaymentFound, readRefundFound } from './found.js';
import type { DisputeFound, PaymentFound, RefundFound } from './processor.js';
import { idIn, isObject, members, readBody } from './reading.js';
import type { Exchange } from './send-once.js';

/** Where to read a list of what was made at the processor: the newest first, back to an instant. */
export type ListPosition = {
  createdSeconds: number;
  /** The last one of the page before. */
  after: string | null;
};

export type ListPage<Item> =
  | {
      kind: 'page';
      items: Item[];
      /** Ids of what carries a reference of ours and cannot be read. */
      unreadable: string[];
      /** What to go on after; null at the end of the list. */
      after: string | null;
    }
  | { kind: 'failed'; detail: string };

/** A payment as the list shows it, with what was asked for. */
export type ListedPayment = PaymentFound & {
  capture: 'automatic' | 'manual';
  /** The card that was asked for; null where it is not told (any more). */
  paymentMethod: string | null;
};

export function paymentsIn(exchange: Exchange): ListPage<ListedPayment> {
  return pageIn(exchange, readListedPayment);
}

export function refundsIn(exchange: Exchange): ListPage<RefundFound> {
  return pageIn(exchange, readRefundFound);
}

export function disputesIn(exchange: Exchange): ListPage<DisputeFound> {
  return pageIn(exchange, readDisputeFound);
}

/** Like any other body it is read, and not trusted: what cannot be read as a whole is no page. */
function pageIn<Item>(
  exchange: Exchange,
  read: (body: Record<string, unknown>, id: string) => Item | string,
): ListPage<Item> {
  if (exchange.kind === 'failed') return { kind: 'failed', detail: exchange.failure };
  if (exchange.status !== 200) return { kind: 'failed', detail: `answered ${exchange.status}` };
  const { object, data, has_more } = readBody(exchange.body) ?? {};
  if (object !== 'list' || !Array.isArray(data) || typeof has_more !== 'boolean') {
    return { kind: 'failed', detail: 'the answer holds no list' };
  }
  const page = { items: [] as Item[], unreadable: [] as string[] };
  let last: string | null = null;
  for (const value of data) {
    const id = idIn(value);
    if (typeof id !== 'string' || !isObject(value)) {
      return { kind: 'failed', detail: 'something in the list has no id' };
    }
    last = id;
    const item = read(value, id);
    if (typeof item !== 'string') page.items.push(item);
    else if (isOurs(value)) page.unreadable.push(id);
  }
  if (has_more && last === null) return { kind: 'failed', detail: 'an empty page of more' };
  return { kind: 'page', ...page, after: has_more ? last : null };
}

function readListedPayment(body: Record<string, unknown>, id: string): ListedPayment | string {
  const found = readPaymentFound(body, id);
  if (typeof found === 'string') return found;
  const error = members(body['last_payment_error']);
  // A declined one no longer has the card, but tells of it.
  const method = idIn(body['payment_method']) ?? idIn(error['payment_method']);
  return {
    ...found,
    capture: body['capture_method'] === 'manual' ? 'manual' : 'automatic',
    paymentMethod: typeof method === 'string' && method.length <= 255 ? method : null,
  };
}

/** A dispute is ours if its payment is. */
function isOurs(value: Record<string, unknown>): boolean {
  const own = members(value['metadata'])['payonce_intent'];
  const payments = members(members(value['payment_intent'])['metadata'])['payonce_intent'];
  return own !== undefined || payments !== undefined;
}
