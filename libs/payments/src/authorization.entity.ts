import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Maps the `authorizations` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'authorizations' })
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'authorizations_payment',
})
@Index('authorizations_due', ['dueAt'])
export class AuthorizationRow {
  @PrimaryColumn({
    name: 'account_id',
    type: 'uuid',
    primaryKeyConstraintName: 'authorizations_pkey',
  })
  accountId: string;

  @PrimaryColumn({
    name: 'payment_id',
    type: 'uuid',
    primaryKeyConstraintName: 'authorizations_pkey',
  })
  paymentId: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ name: 'due_at', type: 'timestamptz' })
  dueAt: Date;
}
