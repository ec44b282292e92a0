import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Maps the `sweep_marks` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'sweep_marks' })
export class SweepMarkRow {
  @PrimaryColumn({ name: 'name', type: 'text', primaryKeyConstraintName: 'sweep_marks_pkey' })
  name: string;

  @Column({ name: 'mark', type: 'uuid' })
  mark: string;

  @Column({ name: 'started_at', type: 'timestamptz', default: () => 'payonce_now()' })
  startedAt: Date;
}
