import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Maps the `unresolved` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'unresolved' })
@ForeignKey('IdempotencyKeyRow', ['accountId', 'keyHash'], ['accountId', 'keyHash'], {
  name: 'unresolved_key',
})
@Index('unresolved_due', ['nextTryAt', 'claimId'])
export class UnresolvedRow {
  @PrimaryColumn({ name: 'account_id', type: 'uuid', primaryKeyConstraintName: 'unresolved_pkey' })
  accountId: string;

  @PrimaryColumn({ name: 'key_hash', type: 'bytea', primaryKeyConstraintName: 'unresolved_pkey' })
  keyHash: Buffer;

  @Column({ name: 'claim_id', type: 'uuid' })
  claimId: string;

  @Column({ name: 'payment_id', type: 'uuid' })
  paymentId: string;

  @Column({ name: 'reason', type: 'text' })
  reason: string;

  @Column({ name: 'tries', type: 'integer', default: 0 })
  tries: number;

  @Column({ name: 'waits', type: 'integer', default: 0 })
  waits: number;

  @Column({ name: 'next_try_at', type: 'timestamptz' })
  nextTryAt: Date;

  @Column({ name: 'since', type: 'timestamptz' })
  since: Date;

  @Column({ name: 'review_at', type: 'timestamptz', nullable: true })
  reviewAt: Date | null;
}
