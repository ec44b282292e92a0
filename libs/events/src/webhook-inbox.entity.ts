import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

export const INBOX_STATES = ['received', 'applied', 'ignored', 'held', 'set_aside'] as const;
export type InboxState = (typeof INBOX_STATES)[number];

/** Maps the `webhook_inbox` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'webhook_inbox' })
@Check('webhook_inbox_applied_has_time', `(state = 'applied'::text) = (applied_at IS NOT NULL)`)
@Check('webhook_inbox_body_hash_length', 'octet_length(body_hash) = 32')
@Check(
  'webhook_inbox_delivered_has_times',
  '((deliveries > 0) = (first_delivered_at IS NOT NULL)) AND ((deliveries > 0) = (last_delivered_at IS NOT NULL))',
)
@Check('webhook_inbox_event_id_length', 'char_length(event_id) <= 255')
@Check('webhook_inbox_object_id_length', 'char_length(object_id) <= 255')
@Check('webhook_inbox_reason_length', 'char_length(reason) <= 500')
@Check('webhook_inbox_received_is_due', `(state = 'received'::text) = (next_try_at IS NOT NULL)`)
@Check(
  'webhook_inbox_state',
  `state = ANY (ARRAY['received'::text, 'applied'::text, 'ignored'::text, 'held'::text, 'set_aside'::text])`,
)
@Check('webhook_inbox_type_length', 'char_length(type) <= 255')
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'webhook_inbox_payment',
})
@Index('webhook_inbox_by_time', ['processorName', 'storedAt'])
@Index('webhook_inbox_due', ['nextTryAt', 'storedAt'], { where: `state = 'received'::text` })
export class WebhookInboxRow {
  @PrimaryColumn({
    name: 'processor_name',
    type: 'text',
    primaryKeyConstraintName: 'webhook_inbox_pkey',
  })
  processorName: string;

  @PrimaryColumn({ name: 'event_id', type: 'text', primaryKeyConstraintName: 'webhook_inbox_pkey' })
  eventId: string;

  @Column({ name: 'type', type: 'text' })
  type: string;

  @Column({ name: 'object_id', type: 'text', nullable: true })
  objectId: string | null;

  @Column({ name: 'payload', type: 'text' })
  payload: string;

  @Column({ name: 'body_hash', type: 'bytea' })
  bodyHash: Buffer;

  @Column({ name: 'state', type: 'text' })
  state: InboxState;

  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;

  @Column({ name: 'tries', type: 'integer', default: 0 })
  tries: number;

  @Column({ name: 'waits', type: 'integer', default: 0 })
  waits: number;

  @Column({ name: 'next_try_at', type: 'timestamptz', nullable: true })
  nextTryAt: Date | null;

  @Column({ name: 'deliveries', type: 'integer' })
  deliveries: number;

  @Column({ name: 'first_delivered_at', type: 'timestamptz', nullable: true })
  firstDeliveredAt: Date | null;

  @Column({ name: 'last_delivered_at', type: 'timestamptz', nullable: true })
  lastDeliveredAt: Date | null;

  @Column({ name: 'stored_at', type: 'timestamptz' })
  storedAt: Date;

  @Column({ name: 'applied_at', type: 'timestamptz', nullable: true })
  appliedAt: Date | null;

  @Column({ name: 'account_id', type: 'uuid', nullable: true })
  accountId: string | null;

  @Column({ name: 'payment_id', type: 'uuid', nullable: true })
  paymentId: string | null;

  @Column({ name: 'taken_at', type: 'timestamptz', nullable: true })
  takenAt: Date | null;
}
