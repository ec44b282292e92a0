import type { Account } from './client.js';
import type { Choices } from './random.js';

/** One intent to pay, as a merchant's program would have it. */
export type Intent = {
  account: Account;
  key: string;
  amount: number;
  manual: boolean;
  body: string;
  prefer: string | undefined;
};

/** Plain ones most often, as in life; of the others each in its turn. */
const ODD_METHODS = [
  'pm_card_chargeDeclined',
  'pm_card_chargeDeclinedInsufficientFunds',
  'pm_card_authenticationRequired',
  'pm_test_lose_request',
  'pm_test_lose_response',
  'pm_test_timeout_charged',
  'pm_test_timeout_not_charged',
  'pm_test_error_charged',
  'pm_test_error_not_charged',
  'pm_test_garbage',
  'pm_test_busy',
  'pm_test_down',
  'pm_test_slow_700',
  'pm_test_slow_2600',
  'pm_test_capture_refused',
  'pm_test_void_refused',
  'pm_test_refund_refused',
  'pm_card_pendingRefund',
  'pm_card_refundFail',
] as const;
/** Two decimals, none, and two again; a reader of amounts that guesses is wrong in one of them. */
const CURRENCIES = ['myr', 'myr', 'usd', 'jpy'] as const;

export function drawIntent(choices: Choices, accounts: readonly Account[], key: string): Intent {
  const amount = choices.between(100, 100_000);
  const manual = choices.happens(0.35);
  const method = choices.happens(0.55) ? 'pm_card_visa' : choices.of(ODD_METHODS);
  const body = {
    amount,
    currency: choices.of(CURRENCIES),
    payment_method: method,
    ...(choices.happens(0.7) && { order_id: key }),
    ...(manual && { capture: 'manual' }),
    ...(choices.happens(0.3) && { metadata: { note: key, ünïcode: '✓' } }),
  };
  return {
    account: choices.of(accounts),
    key,
    amount,
    manual,
    body: JSON.stringify(body),
    prefer: drawPrefer(choices),
  };
}

function drawPrefer(choices: Choices): string | undefined {
  const draw = choices.fraction();
  if (draw < 0.12) return 'respond-async';
  return draw < 0.22 ? 'wait=2' : undefined;
}
