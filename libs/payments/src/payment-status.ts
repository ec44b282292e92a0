/**
 * The states of a payment and the moves between them. Three readers must agree, and one test asks all of
 * them about every pair: these two tables, the database's trigger, and the diagram in the docs.
 *
 * @keeps P5: there is no edge backward, and none out of a final state but the exception below.
 */
export const TRANSITIONS = {
  pending: ['authorized', 'succeeded', 'failed', 'canceled'],
  authorized: ['succeeded', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
} as const satisfies Record<string, readonly string[]>;

/** The one exception: a person accepts money that came late, and the move names the break that told of it. */
export const TRANSITIONS_BY_ACCEPTING = {
  failed: ['succeeded'],
  canceled: ['succeeded'],
} as const satisfies Record<string, readonly string[]>;

export type PaymentStatus = keyof typeof TRANSITIONS;
export const PAYMENT_STATUSES = Object.keys(TRANSITIONS) as PaymentStatus[];

export function mayMove(from: PaymentStatus, to: PaymentStatus): boolean {
  return (TRANSITIONS[from] as readonly string[]).includes(to);
}

export function mayMoveByAccepting(from: PaymentStatus, to: PaymentStatus): boolean {
  const exception: Partial<Record<PaymentStatus, readonly string[]>> = TRANSITIONS_BY_ACCEPTING;
  return mayMove(from, to) || (exception[from]?.includes(to) ?? false);
}
