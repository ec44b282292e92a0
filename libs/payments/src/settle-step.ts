import { captureTransfers } from '#ledger/transfers.js';
import type { Lease } from './lease.js';
import { type Payment, renderPayment } from './payment.js';
import { type Reply, okReply, problemReply } from './reply.js';
import { type FinalOutcome, type Settlement, maskTexts } from './settlement.js';

/** A capture or a void: the authorized payment becomes succeeded or canceled, or stays as it is. */
export function settleStep(
  lease: Lease,
  kind: 'capture' | 'void',
  outcome: FinalOutcome,
  settledAt: Date,
): Settlement {
  if (outcome.kind !== 'succeeded') return failed(lease, kind, outcome);
  const isCapture = kind === 'capture';
  const payment: Payment = {
    ...lease.payment,
    status: isCapture ? 'succeeded' : 'canceled',
    amountCaptured: isCapture ? outcome.amount : 0,
    settledAt,
  };
  const text = JSON.stringify(renderPayment(payment, null));
  return {
    payment,
    refund: null,
    done: true,
    transfers: isCapture ? captureTransfers(outcome, payment.id, lease.operationId) : [],
    event: { type: `payment.${payment.status}`, payload: text },
    reply: okReply(text),
    expiresAt: null,
  };
}

function failed(lease: Lease, kind: 'capture' | 'void', outcome: FinalOutcome): Settlement {
  const { payment } = lease;
  return {
    payment,
    refund: null,
    done: false,
    transfers: [],
    event: {
      type: `payment.${kind}_failed`,
      payload: JSON.stringify(renderPayment(payment, null)),
    },
    reply: failedReply(lease, kind, outcome),
    expiresAt: null,
  };
}

function failedReply(lease: Lease, kind: 'capture' | 'void', outcome: FinalOutcome): Reply {
  const { payment } = lease;
  const extra = { payment_id: payment.id, payment: renderPayment(maskTexts(payment), null) };
  const code = `${kind}_failed` as const;
  switch (outcome.kind) {
    case 'declined':
      return problemReply(
        {
          code,
          detail: outcome.message,
          extra: {
            ...extra,
            decline_code: outcome.declineCode,
            failure: { code: `${kind}_declined`, message: outcome.message },
          },
        },
        lease.claimRequestId,
      );
    case 'not_charged': {
      const failure = {
        code: outcome.code,
        message: `The ${kind} was not made: ${outcome.why}.`,
      };
      return problemReply(
        { code, detail: failure.message, extra: { ...extra, failure } },
        lease.claimRequestId,
      );
    }
    default:
      throw new Error(`Bug: a ${kind} cannot end as ${outcome.kind}`);
  }
}
