import { createHmac } from 'node:crypto';
import type { ContractDocument, Operation, Parameter, Schema } from './contract-document.js';
import type { Dice } from './dice.js';
import { type Draft, setHeader } from './draft.js';
import { respell } from './json-texts.js';
import type { Kind, KnownThings } from './known-things.js';

/** Who the inputs come from. */
export type AbuseKeys = {
  /** Of an account that may read and write. */
  account: string;
  /** Of another account of the same mode. */
  other: string;
  /** Of an operator of that mode. */
  operator: string;
  /** What the processor signs its events with. */
  webhookSecret: string;
};

export type Drafting = {
  document: ContractDocument;
  keys: AbuseKeys;
  things: KnownThings;
  /** Seconds since 1970, for signatures. */
  nowSeconds: () => number;
};

/** A request that keeps every rule of its operation, about something that exists if anything does. */
export function validDraft(on: Drafting, operation: Operation, dice: Dice): Draft {
  const draft: Draft = {
    operation,
    method: operation.method,
    path: operation.path,
    query: null,
    headers: [],
    body: null,
    secrets: [],
    broken: null,
  };
  draft.path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(pathValue(on, operation, name, dice)),
  );
  const pairs = operation.parameters.filter(({ in: place }) => place === 'query');
  const chosen = pairs.filter(() => dice.chance(0.25));
  if (chosen.length > 0)
    draft.query = chosen.map((one) => `${one.name}=${queryValue(on, one, dice)}`).join('&');
  if (!isWebhook(operation))
    setHeader(draft, 'Authorization', `Bearer ${keyFor(on, operation, dice)}`);
  if (needsKey(operation)) setHeader(draft, 'Idempotency-Key', `k-${dice.uuid()}`);
  if (operation.method === 'POST') addBody(on, draft, dice);
  return draft;
}

export const isWebhook = ({ path }: Operation) => path.startsWith('/webhooks/');
export const isOperators = ({ path }: Operation) => path.startsWith('/v1/operations/');

export function needsKey({ parameters }: Operation): boolean {
  return parameters.some(({ name, in: place }) => place === 'header' && name === 'Idempotency-Key');
}

/** Signs the bytes of an event as its sender does, at this second or another. */
export function sign(secret: string, body: Buffer, seconds: number): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

/** An example of what a schema allows. */
export function example(on: Drafting, schema: Schema, dice: Dice, name = ''): unknown {
  const own = on.document.resolve(schema);
  if (own.enum) return dice.pick(own.enum);
  const known = BY_NAME[name];
  if (known) return known(on, dice);
  if (own.type === 'integer') {
    const { minimum = 0, maximum = 1_000 } = own;
    return dice.chance(0.9)
      ? minimum + dice.below(Math.min(maximum, 5_000))
      : dice.pick([minimum, maximum]);
  }
  if (own.type !== 'object') return exampleText(own, dice);
  if (!own.properties) return { [`m${dice.below(5)}`]: dice.pick(['x', '', 'é😀']) };
  const members = Object.entries(own.properties).filter(
    ([member]) => own.required?.includes(member) || dice.chance(0.3),
  );
  return Object.fromEntries(members.map(([member, of]) => [member, example(on, of, dice, member)]));
}

/** Members whose words are not in the document. */
const BY_NAME: Record<string, (on: Drafting, dice: Dice) => unknown> = {
  currency: (_on, dice) =>
    dice.chance(0.9) ? 'myr' : dice.pick(['usd', 'jpy', 'kwd', 'eur', 'isk']),
  payment_method: (_on, dice) => dice.weighted(METHODS),
  order_id: (_on, dice) => `order-${dice.below(10_000)}`,
  idempotency_key: (on, dice) => on.things.earlier(dice)?.key ?? `k-${dice.uuid()}`,
  processor_id: (on, dice) => on.things.some('processor', dice) ?? 'pi_none',
  from: (_on, dice) => `2026-0${1 + dice.below(9)}-01T00:00:00Z`,
  to: (_on, dice) => `2026-1${dice.below(3)}-02T00:00:00.000Z`,
};

/** Mostly plain ones; each kind of trouble that ends at once. */
const METHODS = [
  [60, 'pm_123'], [4, 'pm_card_chargeDeclined'], [2, 'pm_card_visa_chargeDeclinedInsufficientFunds'],
  [2, 'pm_card_authenticationRequired'], [2, 'pm_test_busy'], [1, 'pm_test_lose_response'],
  [1, 'pm_test_lose_request'], [1, 'pm_test_error_charged'], [1, 'pm_test_error_not_charged'], [1, 'pm_test_garbage'],
  [3, 'pm_test_refund_refused'], [3, 'pm_test_capture_refused'], [3, 'pm_test_void_refused'],
  [3, 'pm_card_pendingRefund'], [3, 'pm_card_refundFail'], [1, 'pm_test_slow_50'], [1, 'card_123'],
] as const; // prettier-ignore

function exampleText({ minLength = 1, format }: Schema, dice: Dice): string {
  if (format === 'uuid') return dice.uuid();
  if (format === 'date-time') return '2026-12-01T12:00:00.000Z';
  return dice.pick(['goods_sent', 'returned', 'x'.repeat(Math.max(minLength, 1)), 'asked_for']);
}

function pathValue({ things }: Drafting, { path }: Operation, name: string, dice: Dice): string {
  return things.some(kindOf(path, name), dice) ?? dice.uuid();
}

export function kindOf(path: string, parameter: string): Kind {
  if (parameter === 'operation_id') return 'review';
  if (parameter === 'event_id') return 'event';
  if (path.includes('/breaks/')) return 'break';
  return path.startsWith('/v1/refunds') ? 'refund' : 'payment';
}

function queryValue(on: Drafting, { name, schema }: Parameter, dice: Dice): string {
  const id =
    name === 'payment_id' || name === 'after' ? on.things.some('payment', dice) : undefined;
  return encodeURIComponent(id ?? String(example(on, schema, dice, name)));
}

function keyFor({ keys }: Drafting, operation: Operation, dice: Dice): string {
  const usual = isOperators(operation) ? keys.operator : keys.account;
  return dice.chance(0.94) ? usual : dice.pick([keys.account, keys.other, keys.operator]);
}

function addBody(on: Drafting, draft: Draft, dice: Dice): void {
  const { operation } = draft;
  if (isWebhook(operation)) return addEvent(on, draft, dice);
  const value = operation.body === null ? {} : example(on, operation.body, dice);
  const isEmpty = Object.keys(value as object).length === 0;
  if (isEmpty && dice.chance(0.5)) return;
  const text = dice.chance(0.5) ? JSON.stringify(value) : respell(value, dice);
  draft.body = Buffer.from(text);
  setHeader(draft, 'Content-Type', 'application/json');
}

const EVENT_TYPES = [
  'payment_intent.succeeded', 'payment_intent.payment_failed', 'payment_intent.canceled', 'charge.expired',
  'payment_intent.amount_capturable_updated', 'refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated',
  'charge.dispute.created', 'charge.dispute.closed', 'charge.dispute.funds_withdrawn', 'customer.created', 'a.b',
]; // prettier-ignore

/** An event is a nudge: whatever it says of a payment, the processor is asked. So it may lie about real ones. */
function addEvent({ keys, things, nowSeconds }: Drafting, draft: Draft, dice: Dice): void {
  const id = dice.chance(0.2) ? things.some('event', dice) : undefined;
  const event = {
    id: id ?? `evt_${dice.hex(16)}`,
    object: 'event',
    type: dice.pick(EVENT_TYPES),
    created: 1_764_000_000 + dice.below(1_000),
    data: {
      object: {
        id: things.some('processor', dice) ?? `pi_${dice.hex(12)}`,
        object: dice.pick(['payment_intent', 'refund', 'dispute']),
        amount: dice.below(10_000),
        currency: 'myr',
        status: dice.pick(['succeeded', 'canceled', 'requires_payment_method', 'failed']),
        metadata: {},
      },
    },
  };
  draft.body = Buffer.from(JSON.stringify(event));
  setHeader(draft, 'Content-Type', 'application/json');
  setHeader(draft, 'Stripe-Signature', sign(keys.webhookSecret, draft.body, nowSeconds()));
  things.add('event', event.id);
}
