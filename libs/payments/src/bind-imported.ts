import { BIND_IMPORTED, FIND_IMPORTED, type ImportedRow } from './bind.sql.js';
import { internalKeyHash } from './claim-internal.js';
import { type Claim, MOVED, type Moved } from './claim-key.js';
import type { Deps } from './deps.js';
import type { KeyedRequest } from './intent.js';
import { type Payment, type PaymentOrder } from './payment.js';
import { paymentFrom } from './payment.sql.js';
import { refundFrom } from './refund.sql.js';
import { type Reply, pendingReply, refundPendingReply } from './reply.js';
import { maskTexts } from './settlement.js';

/** What a retry asks for, to be held against what was found at the processor. */
export type Asked = {
  kind: ImportedRow['kind'];
  processorKey: string;
  /** Null adopts what was found. */
  amount: number | null;
  currency: string | null;
} & (
  | { order: PaymentOrder; paymentId: null }
  | { order: null; paymentId: string; reason: string | null }
);

/**
 * A claim of something that a restore had lost and the import has found: the caller's key takes the imported operation
 * over, nothing is sent, and the answer is the one that it would have had, for the payment as it is known now.
 *
 * @keeps P1
 * @keeps P3: with its one exception: the lost answer told another id.
 */
export async function bindImported(
  deps: Pick<Deps, 'db' | 'log'>,
  request: KeyedRequest,
  asked: Asked,
): Promise<Claim | Moved> {
  const { account, keyHash } = request;
  const [found] = await deps.db.run(FIND_IMPORTED, [account.id, asked.processorKey]);
  if (!found) return MOVED;
  if (!isAsked(asked, found)) return { kind: 'reused' };
  if (found.key_state !== 'finished') return { kind: 'queued', reply: notYet(account.id, found) };
  const answer = answerOf(found, asked);
  if (answer === null) return { kind: 'refused', problem: expired(found) };
  const [row] = await deps.db.run(BIND_IMPORTED, [
    account.id,
    asked.processorKey,
    internalKeyHash(asked.processorKey),
    keyHash,
    request.operation,
    request.fingerprint,
    request.fingerprintVersion,
    request.requestId,
    answer.status,
    answer.contentType,
    answer.location,
    answer.body,
    asked.order?.orderId ?? null,
    asked.order?.description ?? null,
    JSON.stringify(asked.order?.metadata ?? {}),
    asked.order?.paymentMethod ?? found.payment_method,
    account.orderOnce,
    asked.order === null ? asked.reason : null,
  ]);
  if (!row) return MOVED; // a twin of this retry was first
  const facts = { payment_id: row.payment_id, operation: found.kind };
  deps.log.info('imported_operation_taken', facts);
  if (row.order_is_taken) deps.log.critical('order_paid_twice', facts);
  return { kind: 'answered', reply: answer };
}

/** Another amount or currency under a key that has charged is another request. */
function isAsked(asked: Asked, found: ImportedRow): boolean {
  return (
    asked.kind === found.kind &&
    (asked.amount === null || asked.amount === Number(found.operation_amount)) &&
    (asked.currency === null || asked.currency === found.operation_currency) &&
    (asked.order === null
      ? asked.paymentId === found.payment_id
      : asked.order.capture === found.capture)
  );
}

/** The processor has not decided, or could not be asked: recovery goes on, and the next retry finds more. */
function notYet(accountId: string, found: ImportedRow): Reply {
  if (found.refund_id !== null) return refundPendingReply(refundFrom(accountId, found));
  const reason = found.kind === 'charge' ? 'unknown' : (`${found.kind}_unknown` as const);
  return pendingReply(paymentFrom(accountId, found), reason as 'unknown' | 'capture_unknown');
}

/** The saved bytes, with what only the caller could tell. The order of members stays as it was. */
function answerOf(found: ImportedRow, asked: Asked): Reply | null {
  const { answer_status: status, answer_content_type: contentType, answer_body: body } = found;
  if (status === null || contentType === null || body === null) return null;
  const told = JSON.parse(body.toString('utf8')) as Told;
  if (asked.order !== null) fillIn(told, asked.order);
  else if (told.object === 'refund') told.reason = asked.reason;
  else if (told.refund !== undefined) told.refund.reason = null;
  return {
    status,
    contentType,
    location: found.answer_location,
    body: Buffer.from(JSON.stringify(told)),
    retryAfterSeconds: null,
    originalRequest: null,
  };
}

type Told = {
  object?: string;
  payment?: Record<string, unknown>;
  refund?: Record<string, unknown>;
  [member: string]: unknown;
};

/** In a problem the texts are masked, as always. */
function fillIn(told: Told, order: PaymentOrder): void {
  const isProblem = told.object !== 'payment';
  const payment = isProblem ? told.payment : told;
  if (payment === undefined) return;
  const texts = isProblem ? maskTexts(order as Payment) : order;
  payment['payment_method'] = order.paymentMethod;
  payment['order_id'] = texts.orderId;
  payment['description'] = texts.description;
  payment['metadata'] = texts.metadata;
}

function expired({ payment_id }: ImportedRow) {
  return { code: 'idempotency_key_expired' as const, extra: { payment_id } };
}
