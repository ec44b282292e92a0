import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Maps the `idempotency_keys` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'idempotency_keys' })
@Check(
  'idempotency_keys_only_tombstones_are_bare',
  `(payment_id IS NOT NULL) OR (state = 'canceled'::text)`,
)
@Check('idempotency_keys_fingerprint_length', 'octet_length(fingerprint) = 32')
@Check('idempotency_keys_finished_has_day', `(state = 'finished'::text) = (answer_day IS NOT NULL)`)
@Check('idempotency_keys_key_hash_length', 'octet_length(key_hash) = 32')
@Check('idempotency_keys_request_id_length', 'char_length(request_id) <= 100')
@Check(
  'idempotency_keys_state',
  `state = ANY (ARRAY['started'::text, 'released'::text, 'queued'::text, 'finished'::text, 'canceled'::text])`,
)
@ForeignKey('PaymentRow', ['accountId', 'paymentId'], ['accountId', 'id'], {
  name: 'idempotency_keys_payment',
})
@Index('idempotency_keys_by_claim', ['claimId'])
export class IdempotencyKeyRow {
  @PrimaryColumn({
    name: 'account_id',
    type: 'uuid',
    primaryKeyConstraintName: 'idempotency_keys_pkey',
  })
  accountId: string;

  @PrimaryColumn({
    name: 'key_hash',
    type: 'bytea',
    primaryKeyConstraintName: 'idempotency_keys_pkey',
  })
  keyHash: Buffer;

  @Column({ name: 'claim_id', type: 'uuid' })
  claimId: string;

  @Column({ name: 'operation', type: 'text' })
  operation: string;

  @Column({ name: 'fingerprint', type: 'bytea' })
  fingerprint: Buffer;

  @Column({ name: 'fingerprint_version', type: 'smallint' })
  fingerprintVersion: number;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'locked_until', type: 'timestamptz' })
  lockedUntil: Date;

  @Column({ name: 'lease_token', type: 'uuid' })
  leaseToken: string;

  @Column({ name: 'payment_id', type: 'uuid', nullable: true })
  paymentId: string | null;

  @Column({ name: 'operation_id', type: 'uuid', nullable: true })
  operationId: string | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId: string;

  @Column({ name: 'claimed_at', type: 'timestamptz' })
  claimedAt: Date;

  @Column({ name: 'ends_at', type: 'timestamptz' })
  endsAt: Date;

  @Column({ name: 'answer_day', type: 'date', nullable: true })
  answerDay: string | null;

  @Column({ name: 'owner', type: 'integer', nullable: true })
  owner: number | null;
}
