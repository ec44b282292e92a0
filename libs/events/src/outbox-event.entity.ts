import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Maps the `outbox_events` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'outbox_events' })
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'outbox_events_payment',
})
export class OutboxEventRow {
  @PrimaryColumn({
    name: 'account_id',
    type: 'uuid',
    primaryKeyConstraintName: 'outbox_events_pkey',
  })
  accountId: string;

  @PrimaryColumn({
    name: 'payment_id',
    type: 'uuid',
    primaryKeyConstraintName: 'outbox_events_pkey',
  })
  paymentId: string;

  @PrimaryColumn({
    name: 'sequence',
    type: 'integer',
    primaryKeyConstraintName: 'outbox_events_pkey',
  })
  sequence: number;

  @Column({ name: 'id', type: 'uuid', default: () => 'payonce_uuid_v7()' })
  id: string;

  @Column({ name: 'type', type: 'text' })
  type: string;

  @Column({ name: 'payload', type: 'json' })
  payload: unknown;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'payonce_now()' })
  createdAt: Date;
}
