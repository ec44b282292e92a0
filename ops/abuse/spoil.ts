import { breakHttp } from './break-http.js';
import type { Dice } from './dice.js';
import { type Draft, dropHeader, headerOf, setHeader } from './draft.js';
import { damage, randomText, respell } from './json-texts.js';
import {
  NASTY_AUTHORIZATIONS,
  NASTY_BODIES,
  NASTY_KEYS,
  NASTY_LITERALS,
  NASTY_QUERIES,
  NASTY_SEGMENTS,
  NASTY_SIGNATURES,
  NASTY_TYPES,
  RAW_QUERIES,
  STRANGE_HEADERS,
  STRANGE_NAMES,
} from './nasty.js';
import { cardNumber, secretKey } from './secrets.js';
import { type Drafting, isWebhook, sign } from './valid-draft.js';

/** Makes one thing about a request wrong, or merely strange. */
export function spoil(on: Drafting, draft: Draft, dice: Dice): void {
  const ways: (readonly [number, (on: Drafting, draft: Draft, dice: Dice) => void])[] = [
    [draft.body === null ? 1 : 9, spoilBody],
    [4, spoilHeader],
    [draft.method === 'GET' ? 6 : 1, spoilQuery],
    [draft.operation.path.includes('{') ? 3 : 1, spoilPath],
    [1, spoilCredential],
    [2, hideSecrets],
    [0.5, (_on, spoilt) => breakHttp(spoilt, dice)],
  ];
  dice.weighted(ways)(on, draft, dice);
}

/** A signature that was right stays right for the bytes that are sent, four times out of five. */
export function signAgain({ keys, nowSeconds }: Drafting, draft: Draft, dice: Dice): void {
  const isSigned = isWebhook(draft.operation) && headerOf(draft, 'Stripe-Signature') !== undefined;
  if (!isSigned || draft.body === null || dice.chance(0.2)) return;
  setHeader(draft, 'Stripe-Signature', sign(keys.webhookSecret, draft.body, nowSeconds()));
}

function spoilBody(on: Drafting, draft: Draft, dice: Dice): void {
  draft.body = dice.weighted<() => Buffer>([
    [8, () => withMember(draft, dice)],
    [3, () => damage(draft.body ?? Buffer.from('{}'), dice)],
    [2, () => Buffer.from(randomText(dice))],
    [2, () => Buffer.from(dice.pick(NASTY_BODIES), 'latin1')],
    [1, () => Buffer.from(`{"a":"${'\u{1f600}'.repeat(dice.below(3_000))}"}`)],
    [0.1, () => Buffer.alloc(1_048_576 + dice.below(3), 0x20)],
  ])();
  if (headerOf(draft, 'Content-Type') === undefined)
    setHeader(draft, 'Content-Type', 'application/json');
  signAgain(on, draft, dice);
}

/** One member gone, replaced, doubled or too many; deep inside as well as at the top. */
function withMember(draft: Draft, dice: Dice): Buffer {
  const members = membersOf(draft.body);
  const literal = dice.chance(0.85) ? dice.pick(NASTY_LITERALS) : randomText(dice);
  const at = dice.below(Math.max(1, members.length));
  const name = members[at]?.[0] ?? dice.pick(STRANGE_NAMES);
  const texts = members.map(([own, value]): [string, string] => [own, JSON.stringify(value)]);
  dice.weighted<() => void>([
    [1, () => void texts.splice(at, 1)],
    [5, () => void texts.splice(at, 1, [name, literal])],
    [1, () => void texts.push([name, literal])],
    [2, () => void texts.push([dice.pick(STRANGE_NAMES), literal])],
  ])();
  return Buffer.from(`{${texts.map(([own, text]) => `${JSON.stringify(own)}:${text}`).join(',')}}`);
}

const READABLE_MAX = 4_000;

/** None of a body that is too long to be one of ours: it may nest so deep that writing it again is a risk. */
function membersOf(body: Buffer | null): [string, unknown][] {
  if (body !== null && body.length > READABLE_MAX) return [];
  try {
    const value: unknown = JSON.parse(body?.toString() ?? '{}');
    return typeof value === 'object' && value !== null ? Object.entries(value) : [];
  } catch {
    return [];
  }
}

function spoilHeader(on: Drafting, draft: Draft, dice: Dice): void {
  dice.weighted<() => void>([
    [5, () => spoilKey(on, draft, dice)],
    [2, () => setHeader(draft, 'Content-Type', dice.pick(NASTY_TYPES))],
    [0.5, () => dropHeader(draft, 'Content-Type')],
    [4, () => void draft.headers.push([...dice.pick(STRANGE_HEADERS)])],
    [isWebhook(draft.operation) ? 6 : 0.2, () => spoilSignature(on, draft, dice)],
    [0.5, () => void draft.headers.push(...doubled(draft, dice))],
  ])();
}

function spoilKey({ things }: Drafting, draft: Draft, dice: Dice): void {
  const earlier = things.earlier(dice);
  dice.weighted<() => void>([
    [1, () => dropHeader(draft, 'Idempotency-Key')],
    [4, () => setHeader(draft, 'Idempotency-Key', dice.pick(NASTY_KEYS))],
    [1, () => void draft.headers.push(['idempotency-key', `k-${dice.uuid()}`])],
    [2, () => setHeader(draft, 'Idempotency-Key', earlier?.key ?? 'k')],
    [4, () => repeat(draft, earlier, dice)],
  ])();
}

/** An honest retry: what ran before, in the same spelling or in another. */
function repeat(
  draft: Draft,
  earlier: { path: string; key: string; body: Buffer | null } | undefined,
  dice: Dice,
): void {
  if (earlier === undefined || draft.method !== 'POST') return;
  draft.path = earlier.path;
  setHeader(draft, 'Idempotency-Key', dice.chance(0.3) ? `"${earlier.key}"` : earlier.key);
  draft.body = dice.chance(0.5) ? earlier.body : respelt(earlier.body, dice);
  if (draft.body === null) dropHeader(draft, 'Content-Type');
  else setHeader(draft, 'Content-Type', 'application/json');
}

function respelt(body: Buffer | null, dice: Dice): Buffer | null {
  const members = membersOf(body);
  return members.length === 0 ? body : Buffer.from(respell(Object.fromEntries(members), dice));
}

function spoilSignature({ keys, nowSeconds }: Drafting, draft: Draft, dice: Dice): void {
  const body = draft.body ?? Buffer.alloc(0);
  const at = (seconds: number) => sign(keys.webhookSecret, body, nowSeconds() + seconds);
  const value = dice.weighted<() => string>([
    [4, () => dice.pick(NASTY_SIGNATURES)],
    [1, () => at(dice.pick([-400, -302, 302, 400]))],
    [1, () => sign('whsec_another', body, nowSeconds())],
    [1, () => `${at(0)},v1=${'0'.repeat(64)}`],
    [1, () => at(0).slice(0, -dice.below(64))],
    [1, () => at(0).replace('v1=', 'v0=')],
  ])();
  setHeader(draft, 'Stripe-Signature', value);
  if (dice.chance(0.2)) draft.headers.push(['Stripe-Signature', at(0)]);
}

function doubled(draft: Draft, dice: Dice): [string, string][] {
  const found = dice.pickIfAny(draft.headers);
  return found === undefined ? [] : [[found[0].toLowerCase(), found[1]]];
}

function spoilQuery({ things }: Drafting, draft: Draft, dice: Dice): void {
  const known = draft.operation.parameters.filter(({ in: place }) => place === 'query');
  const names = [
    ...known.map(({ name }) => name),
    'limit',
    'account_id',
    'idempotency_key',
    'q',
    'sort',
    '__proto__',
  ];
  const value = () =>
    encodeURIComponent(
      dice.chance(0.8) ? dice.pick(NASTY_QUERIES) : (things.some('payment', dice) ?? 'x'),
    );
  draft.query = dice.weighted<() => string>([
    [5, () => `${draft.query === null ? '' : `${draft.query}&`}${dice.pick(names)}=${value()}`],
    [3, () => dice.pick(RAW_QUERIES)],
    [1, () => `${draft.query ?? 'limit=1'}&${draft.query ?? 'limit=1'}`],
  ])();
}

function spoilPath({ things }: Drafting, draft: Draft, dice: Dice): void {
  const segment = dice.weighted<() => string>([
    [3, () => dice.pick(NASTY_SEGMENTS)],
    [
      1,
      () =>
        things.some(dice.pick(['payment', 'refund', 'review', 'break', 'event'] as const), dice) ??
        'x',
    ],
    [1, () => dice.uuid()],
  ])();
  draft.path = dice.weighted<() => string>([
    [6, () => draft.operation.path.replace(/\{\w+\}/, () => segment)],
    [1, () => `${draft.path}/`],
    [1, () => `${draft.path}/${segment}`],
    [
      1,
      () =>
        draft.path.replace(
          '/v1/',
          dice.pick(['/V1/', '//v1/', '/v1//', '/v2/', '/v1/../v1/', '/%76%31/']),
        ),
    ],
    [0.5, () => draft.path.toUpperCase()],
  ])();
  if (/[{}]/.test(draft.path)) draft.path = draft.path.replaceAll(/[{}]/g, '');
}

function spoilCredential({ keys }: Drafting, draft: Draft, dice: Dice): void {
  const { account, other, operator } = keys;
  dice.weighted<() => void>([
    [1, () => dropHeader(draft, 'Authorization')],
    [4, () => setHeader(draft, 'Authorization', dice.pick(NASTY_AUTHORIZATIONS))],
    [4, () => setHeader(draft, 'Authorization', `Bearer ${dice.pick([account, other, operator])}`)],
    [1, () => setHeader(draft, 'Authorization', `Bearer ${account.slice(0, -dice.below(40))}`)],
    [1, () => setHeader(draft, 'Authorization', `Bearer ${account.toUpperCase()}`)],
    [1, () => void draft.headers.push(['authorization', `Bearer ${other}`])],
  ])();
}

/** Card numbers and keys where somebody might put them by mistake. */
function hideSecrets(on: Drafting, draft: Draft, dice: Dice): void {
  const secret = dice.chance(0.6) ? cardNumber(dice) : secretKey(dice);
  draft.secrets.push(secret);
  dice.weighted<() => void>([
    [1, () => setHeader(draft, 'User-Agent', `shop/1 (${secret})`)],
    [1, () => setHeader(draft, 'Idempotency-Key', secret)],
    [1, () => (draft.path = draft.operation.path.replaceAll(/\{\w+\}/g, secret))],
    [1, () => (draft.query = `order_id=${secret}&${secret}=1`)],
    [0.5, () => setHeader(draft, 'Authorization', `Bearer ${secret}`)],
    [0.5, () => setHeader(draft, 'Prefer', secret)],
    [0.5, () => setHeader(draft, 'Content-Type', `application/${secret}`)],
    [6, () => hideInBody(draft, secret, dice)],
  ])();
  signAgain(on, draft, dice);
}

function hideInBody(draft: Draft, secret: string, dice: Dice): void {
  if (draft.body === null) return;
  const members = Object.fromEntries(membersOf(draft.body));
  const name = dice.pick([
    'description',
    'order_id',
    'payment_method',
    'reason',
    'currency',
    'capture',
    secret,
  ]);
  if (dice.chance(0.2)) members['metadata'] = { [secret]: secret };
  else members[name] = dice.chance(0.9) ? secret : { [secret]: [secret] };
  draft.body = Buffer.from(JSON.stringify(members));
}
