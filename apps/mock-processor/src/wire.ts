import type { ErrorBody } from './errors.js';
import type {
  Charge,
  Dispute,
  Intent,
  RecordedEvent,
  Refund,
  Thing,
  Transaction,
} from './state.js';

export type Wire = { id: string; object: string; [member: string]: unknown };

/** The version that objects are rendered in when a request names none. */
export const API_VERSION = '2026-10-28.endive';

/** An object as Stripe prints it: snake case, seconds, references by id. */
export function wire(thing: Thing): Wire {
  switch (thing.object) {
    case 'payment_intent':
      return wireIntent(thing);
    case 'charge':
      return wireCharge(thing);
    case 'refund':
      return wireRefund(thing);
    case 'balance_transaction':
      return wireTransaction(thing);
    case 'dispute':
      return wireDispute(thing);
  }
}

export function wireEvent(event: RecordedEvent, pendingWebhooks: number): Wire {
  return {
    id: event.id,
    object: 'event',
    api_version: API_VERSION,
    created: seconds(event.createdMs),
    data: { object: wire(event.snapshot) },
    livemode: false,
    pending_webhooks: pendingWebhooks,
    request: { id: event.requestId, idempotency_key: event.idempotencyKey },
    type: event.type,
  };
}

export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

function wireIntent(intent: Intent): Wire {
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    amount_capturable: intent.amountCapturable,
    amount_received: intent.amountReceived,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: intent.canceledMs === null ? null : seconds(intent.canceledMs),
    cancellation_reason: intent.cancellationReason,
    capture_method: intent.captureMethod,
    client_secret: `${intent.id}_secret_mock`,
    confirmation_method: 'automatic',
    created: seconds(intent.createdMs),
    currency: intent.currency,
    customer: null,
    description: intent.description,
    last_payment_error: intent.lastError && wireLastError(intent, intent.lastError),
    latest_charge: intent.chargeId,
    livemode: false,
    metadata: intent.metadata,
    next_action:
      intent.status === 'requires_action' ? { type: 'use_stripe_sdk', use_stripe_sdk: {} } : null,
    payment_method: intent.status === 'requires_payment_method' ? null : intent.paymentMethod,
    payment_method_options: {},
    payment_method_types: ['card'],
    processing: null,
    receipt_email: null,
    setup_future_usage: null,
    shipping: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: intent.status,
    transfer_data: null,
    transfer_group: null,
  };
}

function wireLastError(intent: Intent, error: ErrorBody): Record<string, unknown> {
  const method = intent.paymentMethod;
  const created = seconds(intent.createdMs);
  return {
    ...error,
    ...(intent.chargeId !== null && { charge: intent.chargeId }),
    payment_method: method && { id: method, object: 'payment_method', created, type: 'card' },
  };
}

function wireCharge(charge: Charge): Wire {
  const declined = charge.failure;
  return {
    id: charge.id,
    object: 'charge',
    amount: charge.amount,
    amount_captured: charge.amountCaptured,
    amount_refunded: charge.amountRefunded,
    application_fee_amount: null,
    balance_transaction: charge.transactionId,
    captured: charge.captured,
    created: seconds(charge.createdMs),
    currency: charge.currency,
    customer: null,
    description: charge.description,
    disputed: (charge.amountDisputed ?? 0) > 0,
    failure_balance_transaction: null,
    failure_code: declined?.code ?? null,
    failure_message: declined?.message ?? null,
    livemode: false,
    metadata: charge.metadata,
    outcome: {
      network_status: declined ? 'declined_by_network' : 'approved_by_network',
      reason: declined?.decline_code ?? null,
      seller_message: declined ? 'The bank returned the decline code above.' : 'Payment complete.',
      type: declined ? 'issuer_declined' : 'authorized',
    },
    paid: declined === null,
    payment_intent: charge.intentId,
    payment_method: charge.paymentMethod,
    payment_method_details: {
      card: { brand: 'visa', last4: '4242', ...captureBefore(charge) },
      type: 'card',
    },
    receipt_url: null,
    refunded: charge.captured && charge.amountRefunded === charge.amountCaptured,
    status: charge.status,
  };
}

/** Until when an authorization can be captured. Nothing ends it by itself here. */
function captureBefore({ captured, status, createdMs }: Charge): { capture_before?: number } {
  if (captured || status !== 'succeeded') return {};
  return { capture_before: seconds(createdMs + AUTHORIZED_FOR_MS) };
}

const AUTHORIZED_FOR_MS = 7 * 24 * 3_600_000;

function wireRefund(refund: Refund): Wire {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: refund.transactionId,
    charge: refund.chargeId,
    created: seconds(refund.createdMs),
    currency: refund.currency,
    destination_details: { card: { type: 'refund' }, type: 'card' },
    ...(refund.failureReason !== null && {
      failure_balance_transaction: refund.failureTransactionId,
      failure_reason: refund.failureReason,
    }),
    metadata: refund.metadata,
    payment_intent: refund.intentId,
    reason: refund.reason,
    receipt_number: null,
    status: refund.status,
  };
}

const ANSWER_BY_MS = 7 * 24 * 3_600_000;

/** A dispute as Stripe prints it, with its balance transactions in full. */
function wireDispute(dispute: Dispute): Wire {
  const isOpen = dispute.status === 'needs_response';
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: dispute.transactions.map(wireTransaction),
    charge: dispute.chargeId,
    created: seconds(dispute.createdMs),
    currency: dispute.currency,
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {
      due_by: isOpen ? seconds(dispute.createdMs + ANSWER_BY_MS) : null,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    livemode: false,
    metadata: dispute.metadata,
    payment_intent: dispute.intentId,
    payment_method_details: {
      card: { brand: 'visa', case_type: 'chargeback', network_reason_code: '10.4' },
      type: 'card',
    },
    reason: 'fraudulent',
    status: dispute.status,
  };
}

function wireTransaction(transaction: Transaction): Wire {
  const { amount, fee, currency } = transaction;
  const detail = {
    amount: fee,
    application: null,
    currency,
    description: 'Processing fees',
    type: 'stripe_fee',
  };
  return {
    id: transaction.id,
    object: 'balance_transaction',
    amount,
    available_on: seconds(transaction.createdMs),
    created: seconds(transaction.createdMs),
    currency,
    description: null,
    exchange_rate: null,
    fee,
    fee_details: fee > 0 ? [detail] : [],
    net: amount - fee,
    reporting_category: transaction.type,
    source: transaction.sourceId,
    status: 'available',
    type: transactionType(transaction),
  };
}

/** Stripe books what a dispute takes and gives back as adjustments; the category tells which. */
export function transactionType({ type }: Transaction): string {
  return type === 'dispute' || type === 'dispute_reversal' ? 'adjustment' : type;
}
