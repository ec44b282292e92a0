import type { Stripe } from 'stripe';

import type {
  ChargeRequest,
  RefundRequest,
  RenderingVersions,
  StepRequest,
  Unknown,
} from './processor.js';

/** What new operations are claimed with. */
export const RENDERING_VERSIONS: RenderingVersions = {
  charge: 1,
  capture: 2,
  void: 3,
  refund: 4,
  hold: 5,
};

/**
 * Each operation as parameters. Stripe compares a re-send with the first by its parameters, and a test
 * pins the bytes, so a rendering that has been released is never changed: a new one gets the next number.
 * All kinds share one sequence, so that a release which knows fewer kinds never takes one for another.
 */
export const RENDERINGS: Renderings = {
  charge: {
    /**
     * Cards only and no customer at hand: what would need an authentication fails instead, and nothing
     * can redirect, so that no `return_url` is needed. Since 2026-09-30 Stripe refuses `payment_method_types`
     * here, and `error_on_requires_action` does not go together with `automatic_payment_methods`.
     */
    1: chargeParameters,
    /** One that only holds the money, under a number of its own: a release that knows just the first would take it. */
    5: chargeParameters,
  },
  capture: {
    /** What is not taken goes back: nothing is ever captured a second time. */
    2: (request) => ({
      amount_to_capture: request.amount,
      expand: [FEE],
    }),
  },
  void: {
    3: () => ({}),
  },
  refund: {
    4: (request) => ({
      payment_intent: request.targetId,
      amount: request.amount,
      metadata: { payonce_account: request.accountId, payonce_intent: request.processorKey },
    }),
  },
};

function chargeParameters(request: ChargeRequest): Stripe.PaymentIntentCreateParams {
  return {
    amount: request.amount,
    currency: request.currency,
    payment_method: request.paymentMethod,
    allowed_payment_method_types: ['card'],
    capture_method: request.capture,
    confirm: true,
    error_on_requires_action: true,
    metadata: { payonce_account: request.accountId, payonce_intent: request.processorKey },
    expand: [FEE],
  };
}

type Renderings = {
  charge: ByVersion<ChargeRequest, Stripe.PaymentIntentCreateParams>;
  capture: ByVersion<StepRequest, Stripe.PaymentIntentCaptureParams>;
  void: ByVersion<StepRequest, Stripe.PaymentIntentCancelParams>;
  refund: ByVersion<RefundRequest, Stripe.RefundCreateParams>;
};
type ByVersion<Request, Parameters> = Record<number, (request: Request) => Parameters>;

/** Claimed by a newer release. Sending it in other bytes than before would be worse than waiting. */
export function unknownRendering({ renderingVersion }: { renderingVersion: number }): Unknown {
  return {
    kind: 'unknown',
    reason: 'refused',
    storedError: false,
    counts: false,
    detail: `not sent: this release has no rendering ${renderingVersion}`,
    retryAfterSeconds: null,
  };
}

export const FEE = 'latest_charge.balance_transaction';
