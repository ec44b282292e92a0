/** A dispute as the core knows it: the cardholder's bank has taken money back. Amounts are minor units. */
export type Dispute = {
  id: string;
  paymentId: string;
  status: DisputeStatus;
  amount: number;
  /** The part that stands in suspense now. */
  excess: number;
  currency: string;
  processorName: string;
  processorId: string;
  openedAt: Date;
  closedAt: Date | null;
};

export type DisputeStatus = 'inquiry' | 'open' | 'won' | 'lost';

/** The dispute on the wire, as events carry it. */
export function renderDispute(dispute: Dispute): object {
  return {
    id: dispute.id,
    object: 'dispute',
    payment_id: dispute.paymentId,
    status: dispute.status,
    amount: dispute.amount,
    currency: dispute.currency,
    processor: { name: dispute.processorName, id: dispute.processorId },
    opened_at: dispute.openedAt.toISOString(),
    closed_at: dispute.closedAt?.toISOString() ?? null,
  };
}

/** One step that is recorded of a dispute. */
export type DisputeStep = 'inquiry' | 'open' | 'won' | 'lost';

/**
 * The steps that lead from what is recorded to what the processor says, whatever news came in between or never
 * did. None: it is known, or older than what is known. Null: the two contradict each other.
 *
 * Lost may still become won, since a bank can give in late; money moves on that. What was won does not change.
 */
export function stepsTo(known: DisputeStatus | null, seen: DisputeStatus): DisputeStep[] | null {
  return STEPS[known ?? 'none'][seen];
}

const STEPS: Record<DisputeStatus | 'none', Record<DisputeStatus, DisputeStep[] | null>> = {
  none: { inquiry: ['inquiry'], open: ['open'], won: ['open', 'won'], lost: ['open', 'lost'] },
  inquiry: { inquiry: [], open: ['open'], won: ['open', 'won'], lost: ['open', 'lost'] },
  open: { inquiry: [], open: [], won: ['won'], lost: ['lost'] },
  lost: { inquiry: [], open: [], won: ['won'], lost: [] },
  won: { inquiry: [], open: [], won: [], lost: null },
};
