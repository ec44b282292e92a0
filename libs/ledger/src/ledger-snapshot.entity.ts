import { Column, Entity, PrimaryColumn, type ColumnType } from 'typeorm';

const KEY = { primaryKeyConstraintName: 'ledger_snapshots_pkey' };

/** Maps the `ledger_snapshots` table for the drift check. Never used to write. */
@Entity({ name: 'ledger_snapshots' })
export class LedgerSnapshotRow {
  @PrimaryColumn({ name: 'account_id', type: 'uuid', ...KEY })
  accountId: string;

  @PrimaryColumn({ name: 'server', type: 'bigint', ...KEY })
  server: string;

  @PrimaryColumn({ name: 'number', type: 'bigint', ...KEY })
  number: string;

  @PrimaryColumn({ name: 'currency', type: 'text', ...KEY })
  currency: string;

  @PrimaryColumn({ name: 'entry_kind', type: 'text', ...KEY })
  entryKind: string;

  @PrimaryColumn({ name: 'debit_account', type: 'text', ...KEY })
  debitAccount: string;

  @PrimaryColumn({ name: 'credit_account', type: 'text', ...KEY })
  creditAccount: string;

  @Column({ name: 'last_xid', type: 'xid8' as ColumnType })
  lastXid: string;

  @Column({ name: 'last_entry', type: 'uuid' })
  lastEntry: string;

  @Column({ name: 'entries', type: 'integer' })
  entries: number;

  @Column({ name: 'amount', type: 'bigint' })
  amount: string;

  @Column({ name: 'recorded_from', type: 'timestamptz' })
  recordedFrom: Date;

  @Column({ name: 'recorded_to', type: 'timestamptz' })
  recordedTo: Date;

  @Column({ name: 'effective_from', type: 'timestamptz' })
  effectiveFrom: Date;

  @Column({ name: 'effective_to', type: 'timestamptz' })
  effectiveTo: Date;

  @Column({ name: 'recorded_times', type: 'timestamptz', array: true })
  recordedTimes: Date[];

  @Column({ name: 'recorded_sums', type: 'bigint', array: true })
  recordedSums: string[];

  @Column({ name: 'effective_times', type: 'timestamptz', array: true })
  effectiveTimes: Date[];

  @Column({ name: 'effective_sums', type: 'bigint', array: true })
  effectiveSums: string[];
}
