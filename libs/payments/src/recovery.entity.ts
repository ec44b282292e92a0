import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** Maps the `recoveries` table for the drift check. Never used to write. */
@Entity({ name: 'recoveries' })
@Check('recoveries_since_is_past', 'since <= began_at')
export class RecoveryRow {
  @PrimaryColumn({
    name: 'since',
    type: 'timestamptz',
    primaryKeyConstraintName: 'recoveries_pkey',
  })
  since: Date;

  @Column({ name: 'began_at', type: 'timestamptz', default: () => 'payonce_now()' })
  beganAt: Date;

  @Column({ name: 'importer', type: 'uuid', nullable: true })
  importer: string | null;

  @Column({ name: 'importing_until', type: 'timestamptz', nullable: true })
  importingUntil: Date | null;

  @Column({ name: 'opened_at', type: 'timestamptz', nullable: true })
  openedAt: Date | null;
}
