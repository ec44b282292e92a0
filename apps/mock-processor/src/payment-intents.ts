import { exponentOf } from '#money/currencies.js';
import { captureCharge, chargeIntent } from './charges.js';
import { invalid, missing, StripeError } from './errors.js';
import { operation, type Outcome } from './operation.js';
import type { Params } from './params.js';
import { behaviourOf, mustExist, stepRefused } from './payment-methods.js';
import type { Charge, Intent, State } from './state.js';
import type { Draft } from './world.js';

const AMOUNT = { min: 1, max: 99_999_999 };

export const createIntent = operation({
  path: '/v1/payment_intents',
  object: 'payment_intent',
  read: readIntent,
  charges: (_state, input) => (input.confirm ? input.paymentMethod : null),
  run(_state, draft, input): Outcome {
    const intent = draft.put<Intent>({
      object: 'payment_intent',
      id: draft.id('pi'),
      createdMs: draft.at,
      amount: input.amount,
      currency: input.currency,
      captureMethod: input.captureMethod,
      status: input.paymentMethod === null ? 'requires_payment_method' : 'requires_confirmation',
      paymentMethod: input.paymentMethod,
      description: input.description,
      metadata: input.metadata,
      amountReceived: 0,
      amountCapturable: 0,
      chargeId: null,
      canceledMs: null,
      cancellationReason: null,
      lastError: null,
    });
    draft.event('payment_intent.created', intent.id);
    if (!input.confirm || input.paymentMethod === null) return { status: 200, objectId: intent.id };
    return chargeIntent(draft, intent, input.paymentMethod, input.errorOnRequiresAction);
  },
});

export const confirmIntent = operation({
  path: '/v1/payment_intents/:id/confirm',
  object: 'payment_intent',
  read(params, id) {
    const paymentMethod = params.string('payment_method');
    params.allow(['payment_method', 'error_on_requires_action', ...ACCEPTED]);
    return {
      id,
      paymentMethod: paymentMethod === null ? null : mustExist(paymentMethod),
      errorOnRequiresAction: params.boolean('error_on_requires_action'),
    };
  },
  charges: (state, { id, paymentMethod }) =>
    paymentMethod ?? state.find('payment_intent', id)?.paymentMethod ?? null,
  run(state, draft, { id, paymentMethod, errorOnRequiresAction }): Outcome {
    const intent = mustBe(findIntent(state, id), CONFIRMABLE, 'confirm');
    const method =
      paymentMethod ?? (intent.status === 'requires_payment_method' ? null : intent.paymentMethod);
    if (method === null) {
      throw invalid(
        'You cannot confirm this PaymentIntent because it is missing a payment method.',
        'payment_method',
        'payment_intent_unexpected_state',
      );
    }
    return chargeIntent(draft, intent, method, errorOnRequiresAction);
  },
});

export const captureIntent = operation({
  path: '/v1/payment_intents/:id/capture',
  object: 'payment_intent',
  read(params, id) {
    params.allow(['amount_to_capture', 'metadata', 'final_capture', 'statement_descriptor']);
    return { id, amount: params.integer('amount_to_capture', AMOUNT) };
  },
  run(state, draft, { id, amount }): Outcome {
    const intent = mustBe(findIntent(state, id), ['requires_capture'], 'capture');
    const captured = amount ?? intent.amountCapturable;
    if (captured > intent.amountCapturable) {
      throw invalid(
        `The amount to capture (${captured}) is more than can be captured (${intent.amountCapturable}).`,
        'amount_to_capture',
        'amount_too_large',
      );
    }
    if (refuses(intent, 'capture')) {
      return { status: 402, error: stepRefused('capture'), objectId: id };
    }
    captureCharge(draft, intent, chargeOf(state, intent), captured);
    return { status: 200, objectId: id };
  },
});

export const cancelIntent = operation({
  path: '/v1/payment_intents/:id/cancel',
  object: 'payment_intent',
  read(params, id) {
    params.allow(['cancellation_reason']);
    return { id, reason: params.choice('cancellation_reason', CANCELLATION_REASONS) };
  },
  run(state, draft, { id, reason }): Outcome {
    const intent = mustBe(findIntent(state, id), CANCELABLE, 'cancel');
    if (intent.status === 'requires_capture' && refuses(intent, 'void')) {
      return { status: 402, error: stepRefused('void'), objectId: id };
    }
    cancel(state, draft, intent, reason);
    return { status: 200, objectId: id };
  },
});

/** Gives an authorized amount back; an intent without one is only closed. */
export function cancel(state: State, draft: Draft, intent: Intent, reason: string | null): void {
  const { id, currency, metadata } = intent;
  draft.put<Intent>({
    ...intent,
    status: 'canceled',
    amountCapturable: 0,
    canceledMs: draft.at,
    cancellationReason: reason,
  });
  if (intent.status === 'requires_capture') {
    draft.move({
      operation: 'void',
      id: chargeOf(state, intent).id,
      parent: id,
      amount: intent.amountCapturable,
      currency,
      status: 'canceled',
      metadata,
    });
  }
  draft.event('payment_intent.canceled', id);
}

export function findIntent(state: State, id: string, param = 'intent', status = 404): Intent {
  const intent = state.find('payment_intent', id);
  if (!intent) throw missing('payment_intent', id.slice(0, 80), param, status);
  return intent;
}

const CONFIRMABLE = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
] as const;
const CANCELABLE = [...CONFIRMABLE, 'requires_capture'] as const;
const CANCELLATION_REASONS = [
  'duplicate',
  'fraudulent',
  'requested_by_customer',
  'abandoned',
] as const;

/** Parameters of Stripe's that are taken and change nothing here. */
const ACCEPTED = [
  'allow_redirects',
  'allowed_payment_method_types',
  'automatic_payment_methods',
  'capture_method',
  'confirmation_token',
  'customer',
  'mandate',
  'mandate_data',
  'off_session',
  'payment_method_data',
  'payment_method_options',
  'payment_method_types',
  'radar_options',
  'receipt_email',
  'return_url',
  'setup_future_usage',
  'shipping',
  'use_stripe_sdk',
];
const CREATE_ONLY = [
  'amount',
  'application_fee_amount',
  'confirm',
  'confirmation_method',
  'currency',
  'description',
  'error_on_requires_action',
  'metadata',
  'on_behalf_of',
  'payment_method',
  'statement_descriptor',
  'statement_descriptor_suffix',
  'transfer_data',
  'transfer_group',
];

function readIntent(params: Params) {
  params.allow([...CREATE_ONLY, ...ACCEPTED]);
  const amount = params.required('amount', params.integer('amount', AMOUNT));
  const currency = params.required('currency', params.string('currency')).toLowerCase();
  if (exponentOf(currency) === undefined) {
    throw invalid(`Invalid currency: ${currency.slice(0, 40)}.`, 'currency');
  }
  const paymentMethod = params.string('payment_method');
  const confirm = params.boolean('confirm');
  if (confirm && paymentMethod === null) {
    throw invalid(
      'You cannot confirm this PaymentIntent because it is missing a payment method.',
      'payment_method',
      'parameter_missing',
    );
  }
  return {
    amount,
    currency,
    paymentMethod: paymentMethod === null ? null : mustExist(paymentMethod),
    confirm,
    captureMethod: params.choice('capture_method', CAPTURE_METHODS) ?? ('automatic' as const),
    description: params.string('description', 1000),
    metadata: params.metadata(),
    errorOnRequiresAction: params.boolean('error_on_requires_action'),
  };
}

const CAPTURE_METHODS = ['automatic', 'automatic_async', 'manual'] as const;

function mustBe(intent: Intent, statuses: readonly Intent['status'][], verb: string): Intent {
  if (statuses.includes(intent.status)) return intent;
  throw new StripeError(
    400,
    {
      type: 'invalid_request_error',
      code: 'payment_intent_unexpected_state',
      message: `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
    },
    {},
    intent.id,
  );
}

function refuses(intent: Intent, step: 'capture' | 'void'): boolean {
  return intent.paymentMethod !== null && behaviourOf(intent.paymentMethod).refuses === step;
}

function chargeOf(state: State, intent: Intent): Charge {
  const charge = state.find('charge', intent.chargeId ?? '');
  if (!charge) throw new Error(`${intent.id} is ${intent.status} without a charge`);
  return charge;
}
