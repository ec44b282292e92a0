import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Maps the `webhook_cursors` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'webhook_cursors' })
export class WebhookCursorRow {
  @PrimaryColumn({
    name: 'processor_name',
    type: 'text',
    primaryKeyConstraintName: 'webhook_cursors_pkey',
  })
  processorName: string;

  @Column({ name: 'event_id', type: 'text', nullable: true })
  eventId: string | null;

  @Column({ name: 'began_at', type: 'timestamptz' })
  beganAt: Date;

  @Column({ name: 'next_walk_at', type: 'timestamptz' })
  nextWalkAt: Date;
}
