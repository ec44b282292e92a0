import { classify } from './classification.js';
import { foundOf, type LookUpVerdict, type Row, type Seen } from './classification-row.js';
import { readPaymentIntent, readTarget } from './payment-intent.js';
import { readProcessorError } from './processor-error.js';
import type {
  CaptureLookUp,
  CaptureOutcome,
  ChargeOutcome,
  ChargeRequest,
  LookUpOutcome,
  OperationKind,
  ReadOutcome,
  RefundLookUp,
  RefundOutcome,
  StepRequest,
  VoidLookUp,
  VoidOutcome,
} from './processor.js';
import { members, readBody, unreadable } from './reading.js';
import { readRefund, readRefundList, type RefundPage } from './refund-object.js';
import { parseRetryAfter } from './retry-after.js';
import type { Exchange } from './send-once.js';

/** What the end of sending an operation proves. */
export function sentOutcome<K extends OperationKind>(
  kind: K,
  exchange: Exchange,
  request: Requests[K],
  nowWallMs: number,
): Outcomes[K] {
  const seen = see(kind, exchange, request);
  const row = classify(kind, seen);
  return render(row, row.send, { kind, exchange, seen, request, nowWallMs }) as Outcomes[K];
}

/** What the end of a look-up proves about the operation. */
export function lookUpOutcome<K extends OperationKind>(
  kind: K,
  exchange: Exchange,
  request: Requests[K],
  nowWallMs: number,
): LookUps[K] {
  const seen = see(kind, exchange, request);
  const row = classify(kind, seen);
  return render(row, row.lookUp, { kind, exchange, seen, request, nowWallMs }) as LookUps[K];
}

/** The same for a refund that is looked for among all of its payment's. `last`: the page that ended the search. */
export function refundListOutcome(
  earlier: RefundPage[],
  last: Exchange,
  request: StepRequest,
  nowWallMs: number,
): RefundLookUp {
  const seen = seeAnswer(last, (body) => readRefundList(earlier, body, request));
  const row = classify('refund', seen);
  const context = { kind: 'refund', exchange: last, seen, request, nowWallMs } as const;
  return render(row, row.lookUp, context) as RefundLookUp;
}

/** What a read by id gives. `read` tells what is there, or why it cannot be read. */
export function readOutcome<Found extends object>(
  exchange: Exchange,
  read: (body: Record<string, unknown>) => Found | string,
  nowWallMs: number,
): ReadOutcome<Found> {
  const things: Found[] = [];
  const seen = seeAnswer(exchange, (body) => {
    const value = read(body);
    if (typeof value === 'string') return unreadable(value);
    things.push(value);
    return { kind: 'absent' };
  });
  const [found] = things;
  if (found !== undefined) return { kind: 'found', ...found };
  const row = classify('read', seen);
  const context = { kind: 'read', exchange, seen, request: null, nowWallMs } as const;
  return render(row, row.lookUp, context) as ReadOutcome<Found>;
}

/** The id in the answer to "whose key is this?"; null when there is none that can be trusted. */
export function accountIn(exchange: Exchange): string | null {
  if (exchange.kind === 'failed' || exchange.status !== 200) return null;
  const { object, id } = readBody(exchange.body) ?? {};
  return object === 'account' && typeof id === 'string' && ACCOUNT_ID.test(id) ? id : null;
}

const ACCOUNT_ID = /^acct_\w{1,250}$/;

export type Requests = {
  charge: ChargeRequest;
  capture: StepRequest;
  void: StepRequest;
  refund: StepRequest;
};
export type Outcomes = {
  charge: ChargeOutcome;
  capture: CaptureOutcome;
  void: VoidOutcome;
  refund: RefundOutcome;
};
export type LookUps = {
  charge: LookUpOutcome;
  capture: CaptureLookUp;
  void: VoidLookUp;
  refund: RefundLookUp;
};

/** Reduces an exchange to what the table asks about. Reads every body, trusts none. */
export function see<K extends OperationKind>(
  kind: K,
  exchange: Exchange,
  request: Requests[K],
): Seen {
  const { inAnswer, inError } = READERS[kind] as Reader<Requests[K]>;
  return seeAnswer(
    exchange,
    (body) => inAnswer(body, request),
    (payment) => inError(payment, request),
  );
}

type Reader<Request> = {
  /** What a 200 tells of. */
  inAnswer: (body: Record<string, unknown>, request: Request) => Seen['object'];
  /** What the payment that stands in an error tells. */
  inError: (payment: unknown, request: Request) => Seen['object'];
};

const READERS: { [K in OperationKind]: Reader<Requests[K]> } = {
  charge: { inAnswer: paymentIn, inError: readPaymentIntent },
  capture: {
    inAnswer: (body, request) => readTarget(body, request, 'capture'),
    inError: (payment, request) => readTarget(payment, request, 'capture'),
  },
  void: {
    inAnswer: (body, request) => readTarget(body, request, 'void'),
    inError: (payment, request) => readTarget(payment, request, 'void'),
  },
  refund: { inAnswer: readRefund, inError: () => ({ kind: 'absent' }) },
};

function seeAnswer(
  exchange: Exchange,
  inAnswer: (body: Record<string, unknown>) => Seen['object'],
  inError: (payment: unknown) => Seen['object'] = () => ({ kind: 'absent' }),
): Seen {
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
  const error = readProcessorError(body['error']);
  if (status === 200) return { ...answered, readable: true, error, object: inAnswer(body) };
  const payment = members(body['error'])['payment_intent'];
  const object = payment == null ? ({ kind: 'absent' } as const) : inError(payment);
  return { ...answered, readable: true, error, object };
}

const NOTHING_SEEN: Seen = {
  failure: null,
  status: 0,
  readable: false,
  error: null,
  object: { kind: 'absent' },
  replayed: false,
  limiter: null,
};

function paymentIn(body: Record<string, unknown>, request: ChargeRequest): Seen['object'] {
  if (body['object'] !== 'search_result') return readPaymentIntent(body, request);
  const found = body['data'];
  if (!Array.isArray(found)) return unreadable('the search holds no list');
  if (found.length > 1) return { kind: 'found_several' };
  if (found.length === 1) return readPaymentIntent(found[0], request);
  if (body['has_more'] === true) return unreadable('an empty page of more');
  return { kind: 'found_none' };
}

type Context = {
  kind: OperationKind | 'read';
  exchange: Exchange;
  seen: Seen;
  request: ChargeRequest | StepRequest | null;
  nowWallMs: number;
};

function render(row: Row, verdict: LookUpVerdict, context: Context): LookUps[OperationKind] {
  const { kind, seen } = context;
  switch (verdict.kind) {
    case 'succeeded': {
      const { id, amount, currency, fee } = money(context);
      return { kind: 'succeeded', processorId: id, amount, currency, fee };
    }
    case 'authorized': {
      const { id, amount, currency, expiresAt } = money(context);
      return { kind: 'authorized', processorId: id, amount, currency, expiresAt };
    }
    case 'accepted': {
      const { id, amount, currency } = money(context);
      return { kind: 'accepted', processorId: id, amount, currency };
    }
    case 'declined': {
      const processorId = foundOf(seen)?.id ?? null;
      const { stored } = verdict;
      return { kind: 'declined', stored, ...decline(kind, verdict, seen), processorId };
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

function money({ seen, request }: Context) {
  const found = foundOf(seen);
  if (found === null || request === null) throw new Error('Bug: money in an answer without any.');
  return { ...found, currency: request.currency };
}

function decline(
  kind: Context['kind'],
  verdict: Extract<LookUpVerdict, { kind: 'declined' }>,
  seen: Seen,
): { declineCode: string; message: string } {
  const error = seen.error ?? foundOf(seen)?.failure ?? null;
  // Said by its own name, so that the caller can ask for an authentication instead of another card.
  const code =
    error?.code === 'authentication_required' ? error.code : (error?.declineCode ?? error?.code);
  const what = kind === 'charge' ? 'payment' : kind;
  return {
    declineCode: code ?? verdict.code ?? 'generic_decline',
    message: error?.message || (verdict.words ?? `The processor declined the ${what}.`),
  };
}

function retryAfterSeconds({ exchange, nowWallMs }: Context): number | null {
  if (exchange.kind === 'failed') return null;
  return parseRetryAfter(exchange.headers['retry-after'], nowWallMs);
}

/** Our words, and of theirs only a status and codes: an error message may quote a key or a card. */
function describe(row: Row, { exchange, seen }: Context): string {
  if (exchange.kind === 'failed') return `${row.name}: ${exchange.detail}`;
  const { object, error } = seen;
  const parts = [
    `answered ${exchange.status}`,
    error?.type,
    error?.code,
    object.kind === 'ours' ? `${object.found.id} is ${object.found.status}` : null,
    'detail' in object ? object.detail : null,
  ];
  return `${row.name}: ${parts.filter((part) => part != null).join(', ')}`;
}
