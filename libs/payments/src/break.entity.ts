import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { BreakKind } from './break-kinds.js';

/** Maps the `breaks` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'breaks' })
@Check('breaks_amount', 'amount > 0')
@Check('breaks_amount_has_currency', '(amount IS NULL) = (currency IS NULL)')
@Check('breaks_closed_by_length', 'char_length(closed_by) <= 255')
@Check(
  'breaks_closed_names_by_whom',
  `((status = 'closed'::text) = (closed_at IS NOT NULL)) AND ((status = 'closed'::text) = (closed_by IS NOT NULL))`,
)
@Check('breaks_currency', `currency ~ '^[a-z]{3}$'::text`)
@Check(
  'breaks_kind',
  `kind = ANY (ARRAY['missing_here'::text, 'missing_there'::text, 'amount'::text, 'currency'::text, 'status'::text, 'duplicate'::text, 'fee'::text, 'refund'::text, 'timing'::text, 'payout_sum'::text, 'late_success'::text, 'dispute_excess'::text, 'refund_failed_late'::text])`,
)
@Check('breaks_reason_code_length', 'char_length(reason_code) <= 100')
@Check('breaks_reason_length', 'char_length(reason) <= 1000')
@Check(
  'breaks_reference_length',
  '(char_length(reference) >= 1) AND (char_length(reference) <= 255)',
)
@Check('breaks_severity', `severity = ANY (ARRAY['info'::text, 'warning'::text, 'critical'::text])`)
@Check('breaks_status', `status = ANY (ARRAY['open'::text, 'closed'::text])`)
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'breaks_payment',
})
@Unique('breaks_once', ['processorName', 'kind', 'reference'])
@Check('breaks_write_off_asked_by_length', 'char_length(write_off_asked_by) <= 255')
@Index('breaks_by_report', ['processorName', 'reportDate'], { where: 'report_date IS NOT NULL' })
@Index('breaks_by_payment', ['accountId', 'paymentId'])
@Index('breaks_open', ['id'], { where: `status = 'open'::text` })
export class BreakRow {
  @PrimaryColumn({
    name: 'id',
    type: 'uuid',
    default: () => 'payonce_uuid_v7()',
    primaryKeyConstraintName: 'breaks_pkey',
  })
  id: string;

  @Column({ name: 'account_id', type: 'uuid', nullable: true })
  accountId: string | null;

  @Column({ name: 'payment_id', type: 'uuid', nullable: true })
  paymentId: string | null;

  @Column({ name: 'processor_name', type: 'text' })
  processorName: string;

  @Column({ name: 'kind', type: 'text' })
  kind: BreakKind;

  @Column({ name: 'reference', type: 'text' })
  reference: string;

  @Column({ name: 'severity', type: 'text' })
  severity: 'info' | 'warning' | 'critical';

  @Column({ name: 'amount', type: 'bigint', nullable: true })
  amount: string | null;

  @Column({ name: 'currency', type: 'text', nullable: true })
  currency: string | null;

  @Column({ name: 'status', type: 'text', default: 'open' })
  status: 'open' | 'closed';

  @Column({ name: 'first_seen', type: 'timestamptz' })
  firstSeen: Date;

  @Column({ name: 'last_seen', type: 'timestamptz' })
  lastSeen: Date;

  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt: Date | null;

  @Column({ name: 'closed_by', type: 'text', nullable: true })
  closedBy: string | null;

  @Column({ name: 'reason_code', type: 'text', nullable: true })
  reasonCode: string | null;

  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;

  @Column({ name: 'details', type: 'json', default: () => `'{}'` })
  details: Record<string, unknown>;

  @Column({ name: 'refund_ordered_at', type: 'timestamptz', nullable: true })
  refundOrderedAt: Date | null;

  @Column({ name: 'report_date', type: 'date', nullable: true })
  reportDate: string | null;

  @Column({ name: 'write_off_asked_by', type: 'text', nullable: true })
  writeOffAskedBy: string | null;
}
