import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Maps the `imported_operations` table for the drift check. Never used to write. */
@Entity({ name: 'imported_operations' })
@ForeignKey('OperationRow', ['accountId', 'operationId'], ['accountId', 'id'], {
  name: 'imported_operations_operation',
})
export class ImportedOperationRow {
  @PrimaryColumn({
    name: 'account_id',
    type: 'uuid',
    primaryKeyConstraintName: 'imported_operations_pkey',
  })
  accountId: string;

  @PrimaryColumn({
    name: 'processor_key',
    type: 'uuid',
    primaryKeyConstraintName: 'imported_operations_pkey',
  })
  processorKey: string;

  @Column({ name: 'operation_id', type: 'uuid' })
  operationId: string;

  @Column({ name: 'payment_id', type: 'uuid' })
  paymentId: string;

  @Column({ name: 'imported_at', type: 'timestamptz' })
  importedAt: Date;

  @Column({ name: 'bound_at', type: 'timestamptz', nullable: true })
  boundAt: Date | null;
}
