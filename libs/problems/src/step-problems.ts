import type { ProblemDefinition } from './problem-definition.js';

/** What captures, voids and refunds are answered beside what every request may be. */
export const STEP_PROBLEMS = {
  payment_not_capturable: {
    status: 409,
    title: 'The payment cannot be captured',
    summary:
      'Only an authorized payment can be captured, and only once; this one is not authorized.',
    retryable: false,
  },
  capture_exceeds_authorized: {
    status: 400,
    title: 'More would be captured than was authorized',
    summary: 'A capture takes at most the amount that was authorized.',
    retryable: false,
  },
  payment_not_refundable: {
    status: 409,
    title: 'The payment cannot be refunded',
    summary: 'Only money that was captured can be given back, and none of this payment was.',
    retryable: 'unknown',
  },
  refund_exceeds_remaining: {
    status: 400,
    title: 'More would be refunded than is left',
    summary:
      'What was captured, less refunds that succeeded or are under way, less disputes, is all that can be refunded.',
    retryable: false,
  },
  already_refunded: {
    status: 409,
    title: 'The payment is refunded already',
    summary: 'Refunds that succeeded or are under way give back all that was captured.',
    retryable: false,
  },
  payment_disputed: {
    status: 409,
    title: 'A dispute has taken the money',
    summary:
      'The cardholder disputes the payment and the bank has taken the money, so it cannot be refunded as well.',
    retryable: 'unknown',
  },
  currency_mismatch: {
    status: 400,
    title: 'The payment is in another currency',
    summary: 'Captures and refunds are in the currency of their payment.',
    retryable: false,
  },
  capture_failed: {
    status: 402,
    title: 'The capture failed',
    summary: 'Nothing was captured; the payment is still authorized unless it says otherwise.',
    retryable: false,
    saved: true,
  },
  void_failed: {
    status: 402,
    title: 'The void failed',
    summary: 'The authorization was not given up; the payment is still authorized.',
    retryable: false,
    saved: true,
  },
  refund_failed: {
    status: 402,
    title: 'The refund failed',
    summary: 'Nothing was refunded by this request, and nothing of the payment is held for it.',
    retryable: false,
    saved: true,
  },
} as const satisfies Record<string, ProblemDefinition>;
