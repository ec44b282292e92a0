/**
 * What a break can be about. The second half is opened by record steps, the first by reconciliation, and
 * each closes only its own.
 */
export const BREAK_KINDS = {
  missing_here: 'reconciliation',
  missing_there: 'reconciliation',
  amount: 'reconciliation',
  currency: 'reconciliation',
  status: 'reconciliation',
  duplicate: 'reconciliation',
  fee: 'reconciliation',
  refund: 'reconciliation',
  timing: 'reconciliation',
  payout_sum: 'reconciliation',
  /** Money that came after the payment was final, or beside the one that was recorded. It stands in suspense. */
  late_success: 'record step',
  /** A dispute took more than was left on its payment. The rest stands in suspense. */
  dispute_excess: 'record step',
  /** A refund failed after it had freed its order, and another payment holds the order now. */
  refund_failed_late: 'record step',
} as const satisfies Record<string, 'reconciliation' | 'record step'>;
export type BreakKind = keyof typeof BREAK_KINDS;

/**
 * Kinds that a person settles by their word: no money of ours stands in suspense for them, so closing one books
 * nothing.
 */
export const SETTLED_BY_WORD: readonly string[] = [
  ...Object.entries(BREAK_KINDS)
    .filter(([, by]) => by === 'reconciliation')
    .map(([kind]) => kind),
  'refund_failed_late',
];
