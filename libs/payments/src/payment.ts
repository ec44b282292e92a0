import type { PaymentStatus } from './payment-status.js';

/** A payment as the core knows it. Amounts are minor units. */
export type Payment = {
  id: string;
  accountId: string;
  status: PaymentStatus;
  amount: number;
  amountCaptured: number;
  amountRefunded: number;
  amountDisputed: number;
  currency: string;
  paymentMethod: string;
  orderId: string | null;
  description: string | null;
  metadata: Record<string, string>;
  capture: 'automatic' | 'manual';
  failure: Failure | null;
  processorName: string;
  processorId: string | null;
  createdAt: Date;
  settledAt: Date | null;
};

export type Failure = {
  /** The problem's code: `card_declined`, `payment_not_charged`. */
  code: 'card_declined' | 'payment_not_charged';
  message: string;
  /** The processor's own code, where it gave one. */
  declineCode: string | null;
};

/** What the caller asked for, once it has passed validation. */
export type PaymentOrder = Pick<
  Payment,
  'amount' | 'currency' | 'paymentMethod' | 'orderId' | 'description' | 'metadata' | 'capture'
>;

/** Why a payment is not settled yet, in the words that callers see. */
export const UNRESOLVED_REASONS = {
  running: 'a request is taking this payment now',
  unknown: "the processor's answer is not known yet; recovery is finding out",
  queued: 'the payment is queued; a worker charges it, and until then it can be canceled',
  released: 'nothing was sent to the processor; retry the request with the same Idempotency-Key',
  capture_running: 'a capture of this payment is under way',
  capture_unknown:
    "the processor's answer to the capture is not known yet; recovery is finding out",
  capture_queued: 'a capture of this payment is queued; a worker makes it',
  capture_released:
    'nothing was sent for the capture; retry its request with the same Idempotency-Key',
  void_running: 'a void of this payment is under way',
  void_unknown: "the processor's answer to the void is not known yet; recovery is finding out",
  void_queued: 'a void of this payment is queued; a worker makes it',
  void_released: 'nothing was sent for the void; retry its request with the same Idempotency-Key',
} as const;
export type UnresolvedReason = keyof typeof UNRESOLVED_REASONS;

/** The payment on the wire. The order of members is part of the saved bytes. */
export function renderPayment(payment: Payment, unresolved: UnresolvedReason | null): object {
  const { failure } = payment;
  return {
    id: payment.id,
    object: 'payment',
    status: payment.status,
    amount: payment.amount,
    amount_captured: payment.amountCaptured,
    amount_refunded: payment.amountRefunded,
    amount_disputed: payment.amountDisputed,
    currency: payment.currency,
    payment_method: payment.paymentMethod,
    order_id: payment.orderId,
    description: payment.description,
    metadata: payment.metadata,
    capture: payment.capture,
    failure: failure && renderFailure(failure),
    unresolved: unresolved && UNRESOLVED_REASONS[unresolved],
    processor: { name: payment.processorName, id: payment.processorId },
    created_at: payment.createdAt.toISOString(),
    settled_at: payment.settledAt?.toISOString() ?? null,
  };
}

function renderFailure({ code, message, declineCode }: Failure): object {
  return declineCode === null ? { code, message } : { code, message, decline_code: declineCode };
}
