import { missing, type ErrorBody } from './errors.js';
import { asFault, type Fault } from './faults.js';

type Step = 'capture' | 'refund' | 'void';

/** What a payment method does. Plain ones charge; everything else is chosen by the name. */
export type Behaviour = {
  decline: ErrorBody | null;
  /** The cardholder would have to act: an error if the request asks for one, else a status. */
  requiresAction: boolean;
  fault: Fault | null;
  /** The later step that is refused for good. */
  refuses: Step | null;
  refund: 'succeeds' | 'pending' | 'fails_later';
};

export function behaviourOf(paymentMethod: string): Behaviour {
  return {
    decline: declineOf(paymentMethod),
    requiresAction: ACTION_REQUIRED.has(paymentMethod),
    fault: paymentMethod.startsWith('pm_test_') ? asFault(paymentMethod.slice(8)) : null,
    refuses: REFUSALS[paymentMethod] ?? null,
    refund: REFUNDS[paymentMethod] ?? 'succeeds',
  };
}

/** Any `pm_…` exists; a name of another form does not. */
export function mustExist(paymentMethod: string): string {
  if (/^pm_[A-Za-z0-9_]{1,250}$/.test(paymentMethod)) return paymentMethod;
  throw missing('PaymentMethod', paymentMethod.slice(0, 80), 'payment_method', 400);
}

export function stepRefused(step: Step): ErrorBody {
  return {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: `The ${step} was declined for good.`,
  };
}

export const AUTHENTICATION_REQUIRED: ErrorBody = {
  type: 'card_error',
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

const REFUSALS: Record<string, Step> = {
  pm_test_capture_refused: 'capture',
  pm_test_refund_refused: 'refund',
  pm_test_void_refused: 'void',
};

const REFUNDS: Record<string, Behaviour['refund']> = {
  pm_card_pendingRefund: 'pending',
  pm_card_refundFail: 'fails_later',
};

const ACTION_REQUIRED = new Set([
  'pm_card_authenticationRequired',
  'pm_card_authenticationRequiredOnSetup',
  'pm_card_authenticationRequiredSetupForOffSession',
  'pm_card_threeDSecureRequired',
  'pm_card_threeDSecure2Required',
]);

/** The end of Stripe's decline test methods: `pm_card_chargeDeclined…`, `pm_card_visa_chargeDeclined…`. */
const DECLINES: Record<string, { code: string; declineCode: string; message: string }> = {
  '': generic('generic_decline'),
  InsufficientFunds: {
    code: 'card_declined',
    declineCode: 'insufficient_funds',
    message: 'Your card has insufficient funds.',
  },
  LostCard: generic('lost_card'),
  StolenCard: generic('stolen_card'),
  Fraudulent: generic('fraudulent'),
  VelocityLimitExceeded: generic('card_velocity_exceeded'),
  ExpiredCard: same('expired_card', 'Your card has expired.'),
  IncorrectCvc: same('incorrect_cvc', "Your card's security code is incorrect."),
  ProcessingError: same(
    'processing_error',
    'An error occurred while processing your card. Try again in a little bit.',
  ),
};

function declineOf(paymentMethod: string): ErrorBody | null {
  const end = declineEnd(paymentMethod);
  const row = end === null ? undefined : DECLINES[Object.hasOwn(DECLINES, end) ? end : ''];
  if (!row) return null;
  const { code, declineCode, message } = row;
  return { type: 'card_error', code, decline_code: declineCode, message };
}

/** The part of the name that says why, or null for a method that is charged. */
function declineEnd(paymentMethod: string): string | null {
  if (paymentMethod === 'pm_card_chargeCustomerFail') return '';
  if (OTHER_FRAUD.test(paymentMethod)) return 'Fraudulent';
  return /^pm_card_(?:[a-zA-Z]+_)?chargeDeclined([A-Za-z]*)$/.exec(paymentMethod)?.[1] ?? null;
}

const OTHER_FRAUD = /^pm_card_(radarBlock$|.*Fraudulent)/;

function generic(declineCode: string) {
  return { code: 'card_declined', declineCode, message: 'Your card was declined.' };
}

function same(code: string, message: string) {
  return { code, declineCode: code, message };
}
