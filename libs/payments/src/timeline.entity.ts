import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Maps the `timelines` table for the drift check. Never used to write. */
@Entity({ name: 'timelines' })
export class TimelineRow {
  @PrimaryColumn({
    name: 'system_identifier',
    type: 'bigint',
    primaryKeyConstraintName: 'timelines_pkey',
  })
  systemIdentifier: string;

  @PrimaryColumn({
    name: 'timeline',
    type: 'integer',
    primaryKeyConstraintName: 'timelines_pkey',
  })
  timeline: number;

  @Column({ name: 'seen_at', type: 'timestamptz', default: () => 'payonce_now()' })
  seenAt: Date;

  @Column({ name: 'since', type: 'timestamptz', nullable: true })
  since: Date | null;
}
