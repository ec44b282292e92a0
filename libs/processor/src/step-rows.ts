import { isCardError } from './charge-rows.js';
import {
  code,
  CONFLICT,
  DECLINED,
  foundOf,
  isInvalid,
  keptUnknown,
  none,
  NOT_FOUND,
  row,
  type Row,
  type Seen,
  shows,
  state,
  SUCCEEDED,
  unknown,
  unseen,
} from './classification-row.js';
import { refusalRows } from './shared-rows.js';

/** The last two are what a payment's charge is called by when it is not as it should be. */
const UNEXPECTED = [
  'payment_intent_unexpected_state',
  'charge_already_captured',
  'charge_expired_for_capture',
];
const UNEXPECTED_WORDS = UNEXPECTED.map((each) => `\`${each}\``).join(' or ');

/** A capture takes what is held. All or another amount: both are seen in what the payment has received. */
export const CAPTURE_ROWS: readonly Row[] = [
  ...refusedStepRows(),
  row(
    'captured',
    '200 `succeeded`, the amount received is what was to be captured',
    (seen) => shows(seen, 'succeeded') && foundOf(seen)?.whole === true,
    SUCCEEDED,
    SUCCEEDED,
  ),
  row(
    'captured-otherwise',
    '200 `succeeded`, another amount received',
    (seen) => shows(seen, 'succeeded'),
    unknown('nonsense'),
    CONFLICT,
  ),
  row(
    'still-held',
    '200 `requires_capture`',
    (seen) => shows(seen, 'requires_capture'),
    unknown('nonsense'),
    NOT_FOUND,
  ),
  row(
    // A processor may replay a key with what the payment is now: only a look tells.
    'given-back',
    '200 `canceled`: it can never be captured any more',
    (seen) => shows(seen, 'canceled'),
    unknown('unexpected_state'),
    { ...DECLINED, code: 'authorization_canceled', words: 'The authorization has been canceled.' },
  ),
  ...processingRow(),
];

/** A void gives back what is held, all of it. */
export const VOID_ROWS: readonly Row[] = [
  ...refusedStepRows(),
  row('voided', '200 `canceled`', (seen) => shows(seen, 'canceled'), SUCCEEDED, SUCCEEDED),
  row(
    'still-held',
    '200 `requires_capture`',
    (seen) => shows(seen, 'requires_capture'),
    unknown('nonsense'),
    NOT_FOUND,
  ),
  row(
    'captured-before',
    '200 `succeeded`: it can never be given back any more, only refunded',
    (seen) => shows(seen, 'succeeded'),
    unknown('unexpected_state'),
    { ...DECLINED, code: 'already_captured', words: 'The payment has been captured.' },
  ),
  ...processingRow(),
];

/** No, for whichever reason. The payment in such an answer is still held, or the answer contradicts itself. */
function refusedStepRows(): Row[] {
  const untouched = (seen: Seen) => none(seen) || state(seen, 'requires_capture');
  return [
    row(
      'declined',
      '402 `card_error`, and the payment in it, if any, is still `requires_capture`',
      (seen) => isCardError(seen) && untouched(seen),
      DECLINED,
      unseen('nonsense'),
    ),
    // Somebody else has moved it: this step may be the one that did, by an earlier send. Only a look tells.
    row(
      'unexpected-and-kept',
      `400, ${UNEXPECTED_WORDS}, \`Idempotent-Replayed: true\``,
      (seen) => isUnexpected(seen) && seen.replayed,
      keptUnknown('unexpected_state'),
      unseen('unexpected_state'),
    ),
    row(
      'unexpected-state',
      `400, ${UNEXPECTED_WORDS}`,
      isUnexpected,
      unknown('unexpected_state'),
      unseen('unexpected_state'),
    ),
    ...refusalRows('and the payment in it, if any, is still `requires_capture`', untouched),
  ];
}

function processingRow(): Row[] {
  return [
    row(
      'processing',
      '200 `processing`',
      (seen) => shows(seen, 'processing'),
      unknown('processing'),
      unseen('processing'),
    ),
  ];
}

function isUnexpected(seen: Seen): boolean {
  return isInvalid(seen) && code(seen, ...UNEXPECTED);
}
