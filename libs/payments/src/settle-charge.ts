import { chargeTransfers } from '#ledger/transfers.js';
import type { Lease } from './lease.js';
import { type Payment, renderPayment } from './payment.js';
import { type Reply, createdReply, problemReply } from './reply.js';
import { type FinalOutcome, type Settlement, maskTexts } from './settlement.js';

/** A charge: the pending payment becomes authorized, succeeded or failed. */
export function settleCharge(lease: Lease, outcome: FinalOutcome, settledAt: Date): Settlement {
  const payment = movedPayment(lease.payment, outcome, settledAt);
  const transfers = outcome.kind === 'succeeded' ? chargeTransfers(outcome) : [];
  const done = payment.failure === null;
  return {
    payment,
    refund: null,
    done,
    transfers: transfers.map((transfer) => ({ ...transfer, sourceId: payment.id })),
    event: {
      type: `payment.${payment.status}`,
      payload: JSON.stringify(renderPayment(payment, null)),
    },
    reply: done ? createdReply(payment) : failedReply(payment, lease.claimRequestId),
    expiresAt: outcome.kind === 'authorized' ? outcome.expiresAt : null,
  };
}

function movedPayment(pending: Payment, outcome: FinalOutcome, settledAt: Date): Payment {
  switch (outcome.kind) {
    case 'succeeded':
      return {
        ...pending,
        status: 'succeeded',
        amountCaptured: outcome.amount,
        processorId: outcome.processorId,
        settledAt,
      };
    case 'authorized': // it is settled by its capture or its void
      return { ...pending, status: 'authorized', processorId: outcome.processorId };
    case 'declined': {
      const failure = {
        code: 'card_declined' as const,
        message: outcome.message,
        declineCode: outcome.declineCode,
      };
      return { ...pending, status: 'failed', processorId: outcome.processorId, failure, settledAt };
    }
    case 'not_charged': {
      const failure = {
        code: 'payment_not_charged' as const,
        message: `Nothing was charged: ${outcome.why}.`,
        declineCode: null,
      };
      return { ...pending, status: 'failed', failure, settledAt };
    }
    case 'accepted':
      throw new Error('Bug: a charge is never pending at the processor when it answers');
  }
}

function failedReply(payment: Payment, claimRequestId: string): Reply {
  const { failure } = payment;
  if (failure === null) throw new Error('Bug: a failed payment has no failure');
  const extra = {
    payment_id: payment.id,
    ...(failure.declineCode === null ? {} : { decline_code: failure.declineCode }),
    payment: renderPayment(maskTexts(payment), null),
  };
  return problemReply({ code: failure.code, detail: failure.message, extra }, claimRequestId);
}
