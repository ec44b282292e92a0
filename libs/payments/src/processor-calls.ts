import type {
  Accepted,
  Authorized,
  CallOptions,
  ChargeRequest,
  Charged,
  Declined,
  NotSent,
  Processor,
  StepRequest,
  Unknown,
} from '#processor/processor.js';
import type { Lease } from './lease.js';

/** What a send may end in, whichever operation it was. */
export type Sent = Charged | Authorized | Accepted | Declined | NotSent | Unknown;

/** What a look-up may end in. */
export type Found = Sent | { kind: 'not_found' } | { kind: 'conflict'; detail: string };

/** Sends the operation under its own key. */
export function sendToProcessor(
  processor: Processor,
  lease: Lease,
  options: CallOptions,
): Promise<Sent> {
  switch (lease.operation.kind) {
    case 'charge':
      return processor.charge(chargeRequest(lease), options);
    case 'capture':
      return processor.capture(stepRequest(lease), options);
    case 'void':
      return processor.void(stepRequest(lease), options);
    case 'refund':
      return processor.refund(
        { ...stepRequest(lease), reason: lease.refund?.reason ?? null },
        options,
      );
  }
}

/** Asks what became of the operation, and sends nothing. */
export function lookUpAtProcessor(
  processor: Processor,
  lease: Lease,
  options: CallOptions,
): Promise<Found> {
  switch (lease.operation.kind) {
    case 'charge':
      return processor.lookUpCharge(chargeRequest(lease), lease.knownAs, options);
    case 'capture':
      return processor.lookUpCapture(stepRequest(lease), options);
    case 'void':
      return processor.lookUpVoid(stepRequest(lease), options);
    case 'refund':
      return processor.lookUpRefund(stepRequest(lease), lease.knownAs, options);
  }
}

function chargeRequest({ processor, payment }: Lease): ChargeRequest {
  return {
    processorKey: processor.key,
    accountId: payment.accountId,
    amount: payment.amount,
    currency: payment.currency,
    paymentMethod: payment.paymentMethod,
    capture: payment.capture,
    apiVersion: processor.apiVersion,
    renderingVersion: processor.renderingVersion,
  };
}

function stepRequest({ processor, payment, operation }: Lease): StepRequest {
  if (operation.kind === 'charge') throw new Error('Bug: a charge acts on nothing');
  return {
    processorKey: processor.key,
    accountId: payment.accountId,
    targetId: operation.targetId,
    chargeKey: operation.chargeKey,
    amount: operation.amount,
    currency: payment.currency,
    apiVersion: processor.apiVersion,
    renderingVersion: processor.renderingVersion,
  };
}
