import type { Sourced } from '#ledger/transfers.js';
import { redact } from '#problems/redact.js';
import type { Outcome } from './call-processor.js';
import type { Payment } from './payment.js';
import type { Refund } from './refund.js';
import type { Reply } from './reply.js';

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
