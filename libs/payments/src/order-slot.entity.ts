import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Maps the `order_slots` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'order_slots' })
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'order_slots_payment',
})
export class OrderSlotRow {
  @PrimaryColumn({
    name: 'account_id',
    type: 'uuid',
    primaryKeyConstraintName: 'order_slots_one_live_payment',
  })
  accountId: string;

  @PrimaryColumn({
    name: 'order_id',
    type: 'text',
    primaryKeyConstraintName: 'order_slots_one_live_payment',
  })
  orderId: string;

  @Column({ name: 'payment_id', type: 'uuid' })
  paymentId: string;

  @Column({ name: 'taken_at', type: 'timestamptz' })
  takenAt: Date;
}
