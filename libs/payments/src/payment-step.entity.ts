import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Maps the `payment_steps` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'payment_steps' })
@ForeignKey('OperationRow', ['accountId', 'operationId'], ['accountId', 'id'], {
  name: 'payment_steps_operation',
})
export class PaymentStepRow {
  @PrimaryColumn({
    name: 'account_id',
    type: 'uuid',
    primaryKeyConstraintName: 'payment_steps_one_at_a_time',
  })
  accountId: string;

  @PrimaryColumn({
    name: 'payment_id',
    type: 'uuid',
    primaryKeyConstraintName: 'payment_steps_one_at_a_time',
  })
  paymentId: string;

  @Column({ name: 'operation_id', type: 'uuid' })
  operationId: string;

  @Column({ name: 'taken_at', type: 'timestamptz' })
  takenAt: Date;
}
