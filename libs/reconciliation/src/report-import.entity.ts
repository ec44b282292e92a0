import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** Maps the `report_imports` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'report_imports' })
@Check('report_imports_file_sha256', `file_sha256 ~ '^[0-9a-f]{64}$'::text`)
@Unique('report_imports_once', ['processorName', 'reportDate', 'fileSha256'])
@Index('report_imports_current', ['processorName', 'reportDate'], {
  unique: true,
  where: 'superseded_at IS NULL',
})
export class ReportImportRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'report_imports_pkey' })
  id: string;

  @Column({ name: 'processor_name', type: 'text' })
  processorName: string;

  @Column({ name: 'report_date', type: 'date' })
  reportDate: string;

  @Column({ name: 'file_sha256', type: 'text' })
  fileSha256: string;

  @Column({ name: 'source', type: 'text' })
  source: string;

  @Column({ name: 'lines', type: 'integer' })
  lines: number;

  @Column({ name: 'bad_lines', type: 'integer' })
  badLines: number;

  @Column({ name: 'totals', type: 'json' })
  totals: Record<string, unknown>;

  @Column({ name: 'read_at', type: 'timestamptz' })
  readAt: Date;

  @Column({ name: 'imported_at', type: 'timestamptz', default: () => 'payonce_now()' })
  importedAt: Date;

  @Column({ name: 'superseded_at', type: 'timestamptz', nullable: true })
  supersededAt: Date | null;
}
