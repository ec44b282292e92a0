import { parseStrictJson } from '#json/strict-json.js';
import { classify, paymentOf, type LookUpVerdict, type Row, type Seen } from './classification.js';
import { members, readPaymentIntent, readProcessorError } from './payment-intent.js';
import type { ChargeOutcome, ChargeRequest, LookUpOutcome } from './processor.js';
import { parseRetryAfter } from './retry-after.js';
import type { Exchange } from './send-once.js';

/** What the end of a charge proves. */
export function chargeOutcome(
  exchange: Exchange,
  request: ChargeRequest,
  nowWallMs: number,
): ChargeOutcome {
  const seen = see(exchange, request);
  const row = classify(seen);
  return render(row, row.charge, { exchange, request, seen, nowWallMs }) as ChargeOutcome;
}

/** What the end of a look-up proves about the charge. */
export function lookUpOutcome(
  exchange: Exchange,
  request: ChargeRequest,
  nowWallMs: number,
): LookUpOutcome {
  const seen = see(exchange, request);
  const row = classify(seen);
  return render(row, row.lookUp, { exchange, request, seen, nowWallMs });
}

/** The id in the answer to "whose key is this?"; null when there is none that can be trusted. */
export function accountIn(exchange: Exchange): string | null {
  if (exchange.kind === 'failed' || exchange.status !== 200) return null;
  const { object, id } = readBody(exchange.body) ?? {};
  return object === 'account' && typeof id === 'string' && ACCOUNT_ID.test(id) ? id : null;
}

const ACCOUNT_ID = /^acct_\w{1,250}$/;

/** Reduces an exchange to what the table asks about. Reads every body, trusts none. */
export function see(exchange: Exchange, request: ChargeRequest): Seen {
  if (exchange.kind === 'failed') return { ...NOTHING_SEEN, failure: exchange.failure };
  const { status, headers } = exchange;
  const answered = {
    ...NOTHING_SEEN,
    status,
    replayed: headers['idempotent-replayed'] === 'true',
    limiter: headers['stripe-rate-limited-reason'] ?? null,
  };
  const body = readBody(exchange.body);
  if (body === null) return answered;
  const payment = status === 200 ? paymentIn(body, request) : paymentInError(body, request);
  return { ...answered, readable: true, error: readProcessorError(body['error']), payment };
}

const NOTHING_SEEN: Seen = {
  failure: null,
  status: 0,
  readable: false,
  error: null,
  payment: { kind: 'absent' },
  replayed: false,
  limiter: null,
};

function readBody(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value = parseStrictJson(bytes);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? members(value) : null;
  } catch {
    return null; // whatever is wrong with it, the verdict is the same
  }
}

function paymentIn(body: Record<string, unknown>, request: ChargeRequest): Seen['payment'] {
  if (body['object'] !== 'search_result') return readPaymentIntent(body, request);
  const found = body['data'];
  if (!Array.isArray(found)) return { kind: 'unreadable', detail: 'the search holds no list' };
  if (found.length > 1) return { kind: 'found_several' };
  if (found.length === 1) return readPaymentIntent(found[0], request);
  if (body['has_more'] === true) return { kind: 'unreadable', detail: 'an empty page of more' };
  return { kind: 'found_none' };
}

function paymentInError(body: Record<string, unknown>, request: ChargeRequest): Seen['payment'] {
  const payment = members(body['error'])['payment_intent'];
  return payment == null ? { kind: 'absent' } : readPaymentIntent(payment, request);
}

type Context = { exchange: Exchange; request: ChargeRequest; seen: Seen; nowWallMs: number };

function render(row: Row, verdict: LookUpVerdict, context: Context): LookUpOutcome {
  const { seen, request } = context;
  const payment = paymentOf(seen);
  switch (verdict.kind) {
    case 'succeeded': {
      if (payment === null) throw new Error('Bug: a success without a payment.');
      const { amount, currency } = request;
      return { kind: 'succeeded', processorId: payment.id, amount, currency, fee: payment.fee };
    }
    case 'declined': {
      const { declineCode, message } = decline(row, seen);
      const processorId = payment?.id ?? null;
      return { kind: 'declined', stored: verdict.stored, declineCode, message, processorId };
    }
    case 'not_sent':
      return { ...verdict, retryAfterSeconds: retryAfterSeconds(context) };
    case 'not_found':
      return { kind: 'not_found' };
    case 'conflict':
      return { kind: 'conflict', detail: describe(row, context) };
    default: {
      const detail = describe(row, context);
      return { ...verdict, detail, retryAfterSeconds: retryAfterSeconds(context) };
    }
  }
}

function decline(row: Row, seen: Seen): { declineCode: string; message: string } {
  const error = seen.error ?? paymentOf(seen)?.cardError ?? null;
  // Said by its own name, so that the caller can ask for an authentication instead of another card.
  const code =
    error?.code === 'authentication_required' ? error.code : (error?.declineCode ?? error?.code);
  return {
    declineCode: code ?? (row.name === 'canceled' ? 'canceled' : 'generic_decline'),
    message: error?.message || 'The processor declined the payment.',
  };
}

function retryAfterSeconds({ exchange, nowWallMs }: Context): number | null {
  if (exchange.kind === 'failed') return null;
  return parseRetryAfter(exchange.headers['retry-after'], nowWallMs);
}

/** Our words, and of theirs only a status and codes: an error message may quote a key or a card. */
function describe(row: Row, { exchange, seen }: Context): string {
  if (exchange.kind === 'failed') return `${row.name}: ${exchange.detail}`;
  const { payment, error } = seen;
  const parts = [
    `answered ${exchange.status}`,
    error?.type,
    error?.code,
    payment.kind === 'ours' ? `${payment.intent.id} is ${payment.intent.status}` : null,
    'detail' in payment ? payment.detail : null,
  ];
  return `${row.name}: ${parts.filter((part) => part != null).join(', ')}`;
}
