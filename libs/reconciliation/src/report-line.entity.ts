import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Maps the `report_lines` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'report_lines' })
export class ReportLineRow {
  @PrimaryColumn({ name: 'import_id', type: 'uuid', primaryKeyConstraintName: 'report_lines_pkey' })
  importId: string;

  @PrimaryColumn({ name: 'line', type: 'integer', primaryKeyConstraintName: 'report_lines_pkey' })
  line: number;

  @Column({ name: 'raw', type: 'text' })
  raw: string;

  @Column({ name: 'bad_reason', type: 'text', nullable: true })
  badReason: string | null;

  @Column({ name: 'transaction_id', type: 'text', nullable: true })
  transactionId: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', nullable: true })
  createdAt: Date | null;

  @Column({ name: 'currency', type: 'text', nullable: true })
  currency: string | null;

  @Column({ name: 'gross', type: 'bigint', nullable: true })
  gross: string | null;

  @Column({ name: 'fee', type: 'bigint', nullable: true })
  fee: string | null;

  @Column({ name: 'category', type: 'text', nullable: true })
  category: string | null;

  @Column({ name: 'source_id', type: 'text', nullable: true })
  sourceId: string | null;

  @Column({ name: 'payment_ref', type: 'text', nullable: true })
  paymentRef: string | null;

  @Column({ name: 'payout_id', type: 'text', nullable: true })
  payoutId: string | null;

  @Column({ name: 'account_ref', type: 'uuid', nullable: true })
  accountRef: string | null;

  @Column({ name: 'intent_ref', type: 'uuid', nullable: true })
  intentRef: string | null;
}
