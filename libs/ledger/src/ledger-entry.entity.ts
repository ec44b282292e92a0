import {
  Check,
  Column,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
  type ColumnType,
} from 'typeorm';

/** Maps the `ledger_entries` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'ledger_entries' })
@Check('ledger_entries_amount', 'amount > 0')
@Check(
  'ledger_entries_charge_is_its_own_source',
  `(entry_kind <> ALL (ARRAY['charge'::text, 'processor_fee'::text])) OR (source_id = payment_id)`,
)
@Check('ledger_entries_currency', `currency ~ '^[a-z]{3}$'::text`)
@Check('ledger_entries_two_accounts', 'debit_account <> credit_account')
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'ledger_entries_payment',
})
@Index('ledger_entries_by_account', ['accountId', 'recordedXid', 'id'])
@Index('ledger_entries_by_transaction', ['recordedXid', 'accountId'])
@Unique('ledger_entries_once', ['accountId', 'paymentId', 'entryKind', 'sourceId'])
export class LedgerEntryRow {
  @PrimaryColumn({
    name: 'id',
    type: 'uuid',
    default: () => 'payonce_uuid_v7()',
    primaryKeyConstraintName: 'ledger_entries_pkey',
  })
  id: string;

  @PrimaryColumn({
    name: 'account_id',
    type: 'uuid',
    primaryKeyConstraintName: 'ledger_entries_pkey',
  })
  accountId: string;

  @Column({ name: 'payment_id', type: 'uuid' })
  paymentId: string;

  @Column({ name: 'source_id', type: 'uuid' })
  sourceId: string;

  @Column({ name: 'entry_kind', type: 'text' })
  entryKind: string;

  @Column({ name: 'debit_account', type: 'text' })
  debitAccount: string;

  @Column({ name: 'credit_account', type: 'text' })
  creditAccount: string;

  @Column({ name: 'amount', type: 'bigint' })
  amount: string;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'effective_at', type: 'timestamptz' })
  effectiveAt: Date;

  @Column({ name: 'recorded_at', type: 'timestamptz', default: () => 'payonce_now()' })
  recordedAt: Date;

  @Column({
    name: 'recorded_xid',
    type: 'xid8' as ColumnType,
    default: () => 'pg_current_xact_id()',
  })
  recordedXid: string;
}
