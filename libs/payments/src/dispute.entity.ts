import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** Maps the `disputes` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'disputes' })
@Check('disputes_amount', 'amount > 0')
@Check(
  'disputes_closed_has_time',
  `(status <> ALL (ARRAY['won'::text, 'lost'::text])) OR (closed_at IS NOT NULL)`,
)
@Check('disputes_currency', `currency ~ '^[a-z]{3}$'::text`)
@Check('disputes_excess_within_amount', '(excess >= 0) AND (excess <= amount)')
@Check('disputes_processor_id_length', 'char_length(processor_id) <= 255')
@Check(
  'disputes_status',
  `status = ANY (ARRAY['inquiry'::text, 'open'::text, 'won'::text, 'lost'::text])`,
)
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'disputes_payment',
})
@Unique('disputes_once', ['accountId', 'processorName', 'processorId'])
@Index('disputes_by_payment', ['accountId', 'paymentId'])
export class DisputeRow {
  @PrimaryColumn({ name: 'account_id', type: 'uuid', primaryKeyConstraintName: 'disputes_pkey' })
  accountId: string;

  @PrimaryColumn({
    name: 'id',
    type: 'uuid',
    default: () => 'payonce_uuid_v7()',
    primaryKeyConstraintName: 'disputes_pkey',
  })
  id: string;

  @Column({ name: 'payment_id', type: 'uuid' })
  paymentId: string;

  @Column({ name: 'processor_name', type: 'text' })
  processorName: string;

  @Column({ name: 'processor_id', type: 'text' })
  processorId: string;

  @Column({ name: 'status', type: 'text' })
  status: 'inquiry' | 'open' | 'won' | 'lost';

  @Column({ name: 'amount', type: 'bigint' })
  amount: string;

  @Column({ name: 'excess', type: 'bigint', default: 0 })
  excess: string;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'opened_at', type: 'timestamptz' })
  openedAt: Date;

  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt: Date | null;

  @Column({ name: 'recorded_at', type: 'timestamptz', default: () => 'payonce_now()' })
  recordedAt: Date;
}
