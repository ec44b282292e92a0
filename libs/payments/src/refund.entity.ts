import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { RefundFailureCode } from './refund.js';

/** Maps the `refunds` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'refunds' })
@Check('refunds_amount', `amount > 0`)
@Check(
  'refunds_final_has_evidence',
  `
CASE status
    WHEN 'succeeded'::text THEN ((processor_id IS NOT NULL) AND (settled_at IS NOT NULL))
    WHEN 'failed'::text THEN ((failure_code IS NOT NULL) AND (settled_at IS NOT NULL))
    ELSE (settled_at IS NULL)
END`,
)
@Check('refunds_reason_length', `char_length(reason) <= 500`)
@Check('refunds_suspense_reserves_nothing', '(NOT reserved) OR (break_id IS NULL)')
@Check('refunds_status', `status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])`)
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'refunds_payment',
})
@ForeignKey('OperationRow', ['accountId', 'operationId'], ['accountId', 'id'], {
  name: 'refunds_operation',
})
@Index('refunds_by_payment', ['accountId', 'paymentId', 'id'])
@Unique('refunds_one_operation', ['accountId', 'operationId'])
export class RefundRow {
  @PrimaryColumn({ name: 'account_id', type: 'uuid', primaryKeyConstraintName: 'refunds_pkey' })
  accountId: string;

  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'refunds_pkey' })
  id: string;

  @Column({ name: 'payment_id', type: 'uuid' })
  paymentId: string;

  @Column({ name: 'operation_id', type: 'uuid' })
  operationId: string;

  @Column({ name: 'break_id', type: 'uuid', nullable: true })
  breakId: string | null;

  @Column({ name: 'reserved', type: 'boolean' })
  reserved: boolean;

  @Column({ name: 'status', type: 'text' })
  status: 'pending' | 'succeeded' | 'failed';

  @Column({ name: 'amount', type: 'bigint' })
  amount: string;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;

  @Column({ name: 'failure_code', type: 'text', nullable: true })
  failureCode: RefundFailureCode | null;

  @Column({ name: 'failure_message', type: 'text', nullable: true })
  failureMessage: string | null;

  @Column({ name: 'decline_code', type: 'text', nullable: true })
  declineCode: string | null;

  @Column({ name: 'processor_id', type: 'text', nullable: true })
  processorId: string | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'settled_at', type: 'timestamptz', nullable: true })
  settledAt: Date | null;
}
