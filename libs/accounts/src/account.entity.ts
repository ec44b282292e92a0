import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** Maps the `accounts` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'accounts' })
@Check('accounts_mode', `mode = ANY (ARRAY['test'::text, 'live'::text])`)
@Check('accounts_name_length', '(char_length(name) >= 1) AND (char_length(name) <= 100)')
@Unique('accounts_name_mode', ['name', 'mode'])
export class AccountRow {
  @PrimaryColumn({
    name: 'id',
    type: 'uuid',
    default: () => 'payonce_uuid_v7()',
    primaryKeyConstraintName: 'accounts_pkey',
  })
  id: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'mode', type: 'text' })
  mode: string;

  @Column({ name: 'order_once', type: 'boolean', nullable: true })
  orderOnce: boolean | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'payonce_now()' })
  createdAt: Date;
}
