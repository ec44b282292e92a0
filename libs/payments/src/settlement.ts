import type { Sourced } from '#ledger/transfers.js';
import { redact } from '#problems/redact.js';
import type { Outcome } from './call-processor.js';
import type { Lease } from './lease.js';
import type { Payment } from './payment.js';
import type { Refund } from './refund.js';
import type { Reply } from './reply.js';
import { settleCharge } from './settle-charge.js';
import { settleRefund } from './settle-refund.js';
import { settleStep } from './settle-step.js';

/** An outcome that ends an operation. */
export type FinalOutcome = Exclude<Outcome, { kind: 'not_sent' } | { kind: 'unknown' }>;

/** All that the record step writes: what has moved, its ledger rows, its event and its saved answer. */
export type Settlement = {
  /** The payment as it is afterwards; a refund leaves it to the database, which adds. */
  payment: Payment;
  refund: Refund | null;
  /** Whether it did what it was asked for. */
  done: boolean;
  transfers: Sourced[];
  event: { type: string; payload: string };
  reply: Reply;
  /** When an authorization ends at the processor, as far as it told. */
  expiresAt: Date | null;
};

/**
 * Renders an outcome into everything that is recorded of it. A pure function of lease, outcome and instant,
 * and the only renderer: request, worker and whoever else records produce the same bytes.
 *
 * @keeps P3
 */
export function settle(lease: Lease, outcome: FinalOutcome, settledAt: Date): Settlement {
  switch (lease.operation.kind) {
    case 'charge':
      return settleCharge(lease, outcome, settledAt);
    case 'capture':
    case 'void':
      return settleStep(lease, lease.operation.kind, outcome, settledAt);
    case 'refund':
      return settleRefund(lease, outcome, settledAt);
  }
}

/** A problem travels to places where a payment's own texts do not: no card number may stand in it. */
export function maskTexts(payment: Payment): Payment {
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
