/**
 * The states of a payment and the moves between them. Three readers must agree, and one test asks all of
 * them about every pair: this table, the database's trigger, and the diagram in the docs.
 *
 * @keeps P5: there is no edge backward, and none out of a final state.
 */
export const TRANSITIONS = {
  pending: ['authorized', 'succeeded', 'failed', 'canceled'],
  authorized: ['succeeded', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
} as const satisfies Record<string, readonly string[]>;

export type PaymentStatus = keyof typeof TRANSITIONS;
export const PAYMENT_STATUSES = Object.keys(TRANSITIONS) as PaymentStatus[];

export function mayMove(from: PaymentStatus, to: PaymentStatus): boolean {
  return (TRANSITIONS[from] as readonly string[]).includes(to);
}
