import {
  CONFLICT,
  DECLINED,
  foundOf,
  none,
  row,
  type Row,
  type Seen,
  shows,
  state,
  status,
  SUCCEEDED,
  unknown,
  unseen,
} from './classification-row.js';
import { refusalRows } from './shared-rows.js';

const UNPAID = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'canceled'];

export const CHARGE_ROWS: readonly Row[] = [
  row(
    'declined',
    '402 `card_error`, and the payment in it, if any, holds no money',
    (seen) => isCardError(seen) && (none(seen) || state(seen, ...UNPAID)),
    DECLINED,
    unseen('nonsense'),
  ),
  ...refusalRows('no payment in it', none),

  row('succeeded', '200 `succeeded`', (seen) => shows(seen, 'succeeded'), SUCCEEDED, SUCCEEDED),
  row(
    'processing',
    '200 `processing`',
    (seen) => shows(seen, 'processing'),
    unknown('processing'),
    unseen('processing'),
  ),
  row(
    'attempt-failed',
    '200 `requires_payment_method` or `canceled`, its last error a card error',
    (seen) => shows(seen, 'requires_payment_method', 'canceled') && foundOf(seen)?.failure != null,
    DECLINED,
    DECLINED,
  ),
  // A canceled payment can never be paid any more, so this is as final as a decline.
  row(
    'canceled',
    '200 `canceled`',
    (seen) => shows(seen, 'canceled'),
    { ...DECLINED, code: 'canceled' },
    { ...DECLINED, code: 'canceled' },
  ),
  // No money has moved, but it still may: somebody can confirm it, or finish an authentication. That we
  // asked for an error instead of `requires_action` changes nothing about what is there.
  row(
    'unfinished',
    '200 `requires_action`, `requires_confirmation`, or `requires_payment_method` without an error',
    (seen) => shows(seen, ...UNPAID),
    unknown('processing'),
    unseen('processing'),
  ),
  row(
    'authorized',
    '200 `requires_capture`, as a manual capture was asked for',
    (seen) => shows(seen, 'requires_capture') && foundOf(seen)?.manual === true,
    { kind: 'authorized' },
    { kind: 'authorized' },
  ),
  row(
    'not-captured',
    '200 `requires_capture`, although an automatic capture was asked for',
    (seen) => shows(seen, 'requires_capture'),
    unknown('nonsense'),
    CONFLICT,
  ),
];

export function isCardError(seen: Seen): boolean {
  return status(seen, 402) && seen.error?.type === 'card_error';
}
