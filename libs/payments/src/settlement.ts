import { type Transfer, chargeTransfers } from '#ledger/transfers.js';
import type { Charged, Declined } from '#processor/processor.js';
import { redact } from '#problems/redact.js';
import type { NotCharged } from './charge-processor.js';
import { type Payment, renderPayment } from './payment.js';
import { type Reply, createdReply, problemReply } from './reply.js';

export type FinalOutcome = Charged | Declined | NotCharged;

/** All that the record step writes: the moved payment, its ledger rows, its event and its saved answer. */
export type Settlement = {
  payment: Payment;
  transfers: Transfer[];
  event: { type: string; payload: string };
  reply: Reply;
};

/**
 * Renders an outcome into everything that is recorded of it. A pure function of payment, outcome and
 * instant, and the only renderer: request, worker and whoever else records produce the same bytes.
 *
 * @keeps P3
 */
export function settle(
  pending: Payment,
  outcome: FinalOutcome,
  settledAt: Date,
  claimRequestId: string,
): Settlement {
  const payment = movedPayment(pending, outcome, settledAt);
  const event = {
    type: `payment.${payment.status}`,
    payload: JSON.stringify(renderPayment(payment, null)),
  };
  if (outcome.kind === 'succeeded') {
    return { payment, transfers: chargeTransfers(outcome), event, reply: createdReply(payment) };
  }
  return { payment, transfers: [], event, reply: failedReply(payment, claimRequestId) };
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

/** A problem travels to places where a payment's own texts do not: no card number may stand in it. */
function maskTexts(payment: Payment): Payment {
  const mask = (text: string | null) => text && redact(text);
  const metadata = Object.entries(payment.metadata).map(([name, text]) => [
    redact(name),
    redact(text),
  ]);
  return {
    ...payment,
    orderId: mask(payment.orderId),
    description: mask(payment.description),
    metadata: Object.fromEntries(metadata),
  };
}
