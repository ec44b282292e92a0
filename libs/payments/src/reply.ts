import { type Problem, renderProblem } from '#problems/problems.js';
import type { Lease } from './lease.js';
import { type Payment, type UnresolvedReason, renderPayment } from './payment.js';
import { type Refund, renderRefund } from './refund.js';

/** An answer as the bytes that go out, but not yet HTTP: the record step saves it, the controller sends it. */
export type Reply = {
  status: number;
  contentType: string;
  location: string | null;
  body: Buffer;
  retryAfterSeconds: number | null;
  /** Set on a replay: the request that claimed the key. */
  originalRequest: string | null;
};

export const JSON_TYPE = 'application/json; charset=utf-8';
/** How long a caller of a pending payment should wait before it asks again. */
export const PENDING_RETRY_AFTER_SECONDS = 2;

/** 201: the payment was charged. */
export function createdReply(payment: Payment): Reply {
  return paymentReply(201, payment, null, null);
}

/** 200: done, and these are the bytes. */
export function okReply(text: string): Reply {
  return {
    status: 200,
    contentType: JSON_TYPE,
    location: null,
    body: Buffer.from(text),
    retryAfterSeconds: null,
    originalRequest: null,
  };
}

/** 201: the processor took the refund; it may still be pending there. */
export function createdRefundReply(refund: Refund): Reply {
  return refundReply(201, refund, null);
}

/** 202: nobody knows yet, or the record was not confirmed. Never saved. */
export function pendingReply(payment: Payment, unresolved: UnresolvedReason): Reply {
  return paymentReply(202, payment, unresolved, PENDING_RETRY_AFTER_SECONDS);
}

/** The same for a refund. */
export function refundPendingReply(refund: Refund): Reply {
  return refundReply(202, refund, PENDING_RETRY_AFTER_SECONDS);
}

/** The same for whatever a lease was taken for. */
export function unsettledReply({ operation, payment, refund }: Lease, reason: Unsettled): Reply {
  if (refund !== null) return refundPendingReply(refund);
  const { kind } = operation;
  if (kind === 'capture' || kind === 'void') return pendingReply(payment, `${kind}_${reason}`);
  return pendingReply(payment, reason);
}

type Unsettled = 'running' | 'unknown' | 'queued';

function refundReply(status: number, refund: Refund, retryAfterSeconds: number | null): Reply {
  return {
    status,
    contentType: JSON_TYPE,
    location: `/v1/refunds/${refund.id}`,
    body: Buffer.from(JSON.stringify(renderRefund(refund))),
    retryAfterSeconds,
    originalRequest: null,
  };
}

function paymentReply(
  status: number,
  payment: Payment,
  unresolved: UnresolvedReason | null,
  retryAfterSeconds: number | null,
): Reply {
  return {
    status,
    contentType: JSON_TYPE,
    location: `/v1/payments/${payment.id}`,
    body: Buffer.from(JSON.stringify(renderPayment(payment, unresolved))),
    retryAfterSeconds,
    originalRequest: null,
  };
}

/** A problem as a reply. `requestId` is the claiming request's where the answer is saved. */
export function problemReply(problem: Problem, requestId: string): Reply {
  const { status, headers, body } = renderProblem(problem, requestId);
  const retryAfter = headers['retry-after'];
  return {
    status,
    contentType: headers['content-type'] ?? 'application/problem+json',
    location: null,
    body: Buffer.from(body),
    retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
    originalRequest: null,
  };
}
