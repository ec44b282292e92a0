import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PaymentStatus } from './payment-status.js';

/** Maps the `payments` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'payments' })
@Check('payments_amount', '(amount >= 1) AND (amount <= 99999999)')
@Check('payments_capture', `capture = ANY (ARRAY['automatic'::text, 'manual'::text])`)
@Check('payments_captured_within_amount', '(amount_captured >= 0) AND (amount_captured <= amount)')
@Check('payments_currency', `currency ~ '^[a-z]{3}$'::text`)
@Check('payments_description_length', 'char_length(description) <= 1000')
@Check(
  'payments_final_has_evidence',
  `
CASE status
    WHEN 'succeeded'::text THEN ((processor_id IS NOT NULL) AND (settled_at IS NOT NULL))
    WHEN 'failed'::text THEN ((failure_code IS NOT NULL) AND (settled_at IS NOT NULL))
    ELSE true
END`,
)
@Check(
  'payments_order_id_length',
  '(char_length(order_id) >= 1) AND (char_length(order_id) <= 255)',
)
@Check(
  'payments_parts_not_negative',
  '(amount_refunded >= 0) AND (amount_disputed >= 0) AND (amount_reserved >= 0)',
)
@Check('payments_payment_method_length', 'char_length(payment_method) <= 255')
@Check(
  'payments_status',
  `status = ANY (ARRAY['pending'::text, 'authorized'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])`,
)
@ForeignKey('AccountRow', ['accountId'], ['id'], { name: 'payments_account' })
@Index('payments_by_order', ['accountId', 'orderId', 'id'], { where: 'order_id IS NOT NULL' })
export class PaymentRow {
  @PrimaryColumn({ name: 'account_id', type: 'uuid', primaryKeyConstraintName: 'payments_pkey' })
  accountId: string;

  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'payments_pkey' })
  id: string;

  @Column({ name: 'status', type: 'text' })
  status: PaymentStatus;

  @Column({ name: 'amount', type: 'bigint' })
  amount: string;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'amount_captured', type: 'bigint', default: 0 })
  amountCaptured: string;

  @Column({ name: 'amount_refunded', type: 'bigint', default: 0 })
  amountRefunded: string;

  @Column({ name: 'amount_disputed', type: 'bigint', default: 0 })
  amountDisputed: string;

  @Column({ name: 'amount_reserved', type: 'bigint', default: 0 })
  amountReserved: string;

  @Column({ name: 'payment_method', type: 'text' })
  paymentMethod: string;

  @Column({ name: 'order_id', type: 'text', nullable: true })
  orderId: string | null;

  @Column({ name: 'description', type: 'text', nullable: true })
  description: string | null;

  @Column({ name: 'metadata', type: 'json' })
  metadata: Record<string, string>;

  @Column({ name: 'capture', type: 'text' })
  capture: 'automatic' | 'manual';

  @Column({ name: 'failure_code', type: 'text', nullable: true })
  failureCode: 'card_declined' | 'payment_not_charged' | null;

  @Column({ name: 'failure_message', type: 'text', nullable: true })
  failureMessage: string | null;

  @Column({ name: 'decline_code', type: 'text', nullable: true })
  declineCode: string | null;

  @Column({ name: 'processor_name', type: 'text' })
  processorName: string;

  @Column({ name: 'processor_id', type: 'text', nullable: true })
  processorId: string | null;

  @Column({ name: 'event_sequence', type: 'integer', default: 0 })
  eventSequence: number;

  @Column({ name: 'accepted_break_id', type: 'uuid', nullable: true })
  acceptedBreakId: string | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'settled_at', type: 'timestamptz', nullable: true })
  settledAt: Date | null;
}
