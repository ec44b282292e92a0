import { CHARGE_ROWS } from './charge-rows.js';
import { none, type Row, type Seen } from './classification-row.js';
import type { OperationKind } from './processor.js';
import { REFUND_ROWS } from './refund-rows.js';
import { FIRST_ROWS, LAST_ROWS, refusalRows } from './shared-rows.js';
import { CAPTURE_ROWS, VOID_ROWS } from './step-rows.js';

/**
 * Every way in which a call to the processor can end, and what it proves. First row that matches, from
 * the top; the last one matches everything, so that what nobody thought of is *unknown*, never a
 * success and never a failure.
 *
 * Each operation has rows of its own between those that all share. `send` is the verdict on sending it,
 * `lookUp` on asking for it. A look-up that ends as anything but an answer proves nothing about the
 * operation, whatever went wrong with it.
 *
 * @keeps P1 P2: a timeout, a reset or a server error is never a decline.
 */
export const CLASSIFICATION: Readonly<Record<OperationKind | 'read', readonly Row[]>> = {
  charge: [...FIRST_ROWS, ...CHARGE_ROWS, ...LAST_ROWS],
  capture: [...FIRST_ROWS, ...CAPTURE_ROWS, ...LAST_ROWS],
  void: [...FIRST_ROWS, ...VOID_ROWS, ...LAST_ROWS],
  refund: [...FIRST_ROWS, ...REFUND_ROWS, ...LAST_ROWS],
  /** Whatever stands under an id: only `lookUp` is meant, and what is there is read without these rows. */
  read: [...FIRST_ROWS, ...refusalRows('nothing in it', none), ...LAST_ROWS],
};

export function classify(kind: OperationKind | 'read', seen: Seen): Row {
  const found = CLASSIFICATION[kind].find((candidate) => candidate.matches(seen));
  if (found === undefined) throw new Error('Bug: the last row matches everything.');
  return found;
}
