import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Maps the `operations` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'operations' })
@Check('operations_amount', 'amount > 0')
@Check(
  'operations_kind',
  `kind = ANY (ARRAY['charge'::text, 'capture'::text, 'void'::text, 'refund'::text])`,
)
@Check('operations_only_charges_have_no_target', `(kind = 'charge'::text) = (target_id IS NULL)`)
@Check('operations_target_id_length', 'char_length(target_id) <= 255')
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'operations_payment',
})
@Index('operations_by_payment', ['accountId', 'paymentId'])
@Index('operations_by_processor_key', ['accountId', 'processorKey'])
export class OperationRow {
  @PrimaryColumn({ name: 'account_id', type: 'uuid', primaryKeyConstraintName: 'operations_pkey' })
  accountId: string;

  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'operations_pkey' })
  id: string;

  @Column({ name: 'payment_id', type: 'uuid' })
  paymentId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: string;

  @Column({ name: 'key_hash', type: 'bytea' })
  keyHash: Buffer;

  @Column({ name: 'processor_name', type: 'text' })
  processorName: string;

  @Column({ name: 'processor_account', type: 'text' })
  processorAccount: string;

  @Column({ name: 'processor_key', type: 'uuid' })
  processorKey: string;

  @Column({ name: 'api_version', type: 'text' })
  apiVersion: string;

  @Column({ name: 'rendering_version', type: 'smallint' })
  renderingVersion: number;

  @Column({ name: 'amount', type: 'bigint' })
  amount: string;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'attempts_made', type: 'integer' })
  attemptsMade: number;

  @Column({ name: 'send_until', type: 'timestamptz', nullable: true })
  sendUntil: Date | null;

  @Column({ name: 'stored_error_at', type: 'timestamptz', nullable: true })
  storedErrorAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'queued', type: 'boolean', default: false })
  queued: boolean;

  @Column({ name: 'target_id', type: 'text', nullable: true })
  targetId: string | null;
}
