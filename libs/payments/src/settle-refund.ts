import { refundTransfers } from '#ledger/transfers.js';
import { redact } from '#problems/redact.js';
import type { Lease } from './lease.js';
import { type Refund, type RefundFailure, renderRefund } from './refund.js';
import { createdRefundReply, problemReply } from './reply.js';
import type { FinalOutcome, Settlement } from './settlement.js';

/** A refund: made, taken by the processor and still pending there, or failed. */
export function settleRefund(lease: Lease, outcome: FinalOutcome, settledAt: Date): Settlement {
  if (lease.refund === null) throw new Error('Bug: a refund without its row');
  const refund = movedRefund(lease.refund, outcome, settledAt);
  const taken = refund.failure === null;
  return {
    payment: lease.payment,
    refund,
    done: taken,
    transfers: taken ? refundTransfers(refund) : [],
    event: {
      type: `refund.${refund.status}`,
      payload: JSON.stringify(renderRefund(refund)),
    },
    reply: taken ? createdRefundReply(refund) : failedReply(refund, lease.claimRequestId),
    expiresAt: null,
  };
}

function movedRefund(pending: Refund, outcome: FinalOutcome, settledAt: Date): Refund {
  switch (outcome.kind) {
    case 'succeeded':
      return { ...pending, status: 'succeeded', processorId: outcome.processorId, settledAt };
    case 'accepted':
      return { ...pending, processorId: outcome.processorId };
    case 'declined': {
      const { message, declineCode, processorId } = outcome;
      const failure: RefundFailure = { code: 'refund_declined', message, declineCode };
      return { ...pending, status: 'failed', processorId, failure, settledAt };
    }
    case 'not_charged': {
      const failure: RefundFailure = {
        code: outcome.code,
        message: `The refund was not made: ${outcome.why}.`,
        declineCode: null,
      };
      return { ...pending, status: 'failed', failure, settledAt };
    }
    case 'authorized':
      throw new Error('Bug: a refund is never authorized');
  }
}

function failedReply(refund: Refund, claimRequestId: string) {
  const { failure } = refund;
  const extra = {
    payment_id: refund.paymentId,
    refund_id: refund.id,
    ...(failure?.declineCode == null ? {} : { decline_code: failure.declineCode }),
    // A problem travels to places where the caller's own words do not.
    refund: renderRefund({ ...refund, reason: refund.reason && redact(refund.reason) }),
  };
  const problem = { code: 'refund_failed' as const, extra };
  return problemReply(
    failure === null ? problem : { ...problem, detail: failure.message },
    claimRequestId,
  );
}
