import { isCardError } from './charge-rows.js';
import { DECLINED, none, row, type Row, shows, SUCCEEDED, unseen } from './classification-row.js';
import { refusalRows } from './shared-rows.js';

/** A refund is an object of its own. The payment that an error may show says nothing of it, and is not read. */
export const REFUND_ROWS: readonly Row[] = [
  row('declined', '402 `card_error`', isCardError, DECLINED, unseen('nonsense')),
  ...refusalRows('whatever payment is in it', none),
  row('refunded', '200 `succeeded`', (seen) => shows(seen, 'succeeded'), SUCCEEDED, SUCCEEDED),
  row(
    'accepted',
    '200 `pending` or `requires_action`',
    (seen) => shows(seen, 'pending', 'requires_action'),
    { kind: 'accepted' },
    { kind: 'accepted' },
  ),
  row(
    'refund-failed',
    '200 `failed`',
    (seen) => shows(seen, 'failed'),
    { ...DECLINED, code: 'failed' },
    { ...DECLINED, code: 'failed' },
  ),
  row(
    'refund-canceled',
    '200 `canceled`',
    (seen) => shows(seen, 'canceled'),
    { ...DECLINED, code: 'canceled' },
    { ...DECLINED, code: 'canceled' },
  ),
];
