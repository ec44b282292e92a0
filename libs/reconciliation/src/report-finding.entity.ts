import { Column, Entity, PrimaryColumn } from 'typeorm';

const PRIMARY_KEY = 'report_findings_pkey';

/** Maps the `report_findings` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'report_findings' })
export class ReportFindingRow {
  @PrimaryColumn({ name: 'import_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  importId: string;

  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: PRIMARY_KEY })
  kind: string;

  @PrimaryColumn({ name: 'reference', type: 'text', primaryKeyConstraintName: PRIMARY_KEY })
  reference: string;

  @Column({ name: 'account_id', type: 'uuid', nullable: true })
  accountId: string | null;

  @Column({ name: 'payment_id', type: 'uuid', nullable: true })
  paymentId: string | null;

  @Column({ name: 'amount', type: 'bigint', nullable: true })
  amount: string | null;

  @Column({ name: 'currency', type: 'text', nullable: true })
  currency: string | null;

  @Column({ name: 'ours', type: 'json', nullable: true })
  ours: Record<string, unknown> | null;

  @Column({ name: 'theirs', type: 'json', nullable: true })
  theirs: Record<string, unknown> | null;
}
