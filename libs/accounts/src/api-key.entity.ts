import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';

/** Maps the `api_keys` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'api_keys' })
@Check(
  'api_keys_account_or_operator',
  '((account_id IS NULL) = (operator IS NOT NULL)) AND ((operator IS NULL) = (mode IS NULL))',
)
@Check('api_keys_key_hash_length', 'octet_length(key_hash) = 32')
@Check('api_keys_mode', `mode = ANY (ARRAY['test'::text, 'live'::text])`)
@Check(
  'api_keys_operator_length',
  '(char_length(operator) >= 1) AND (char_length(operator) <= 100)',
)
@Check('api_keys_prefix_length', 'char_length(prefix) <= 24')
@Check(
  'api_keys_scopes',
  `CASE
    WHEN operator IS NULL THEN (scopes <@ ARRAY['payments:write'::text, 'payments:read'::text])
    ELSE (scopes = ARRAY['operations'::text])
END`,
)
@ForeignKey('AccountRow', ['accountId'], ['id'], { name: 'api_keys_account' })
@Unique('api_keys_key_hash', ['keyHash'])
export class ApiKeyRow {
  @PrimaryColumn({
    name: 'id',
    type: 'uuid',
    default: () => 'payonce_uuid_v7()',
    primaryKeyConstraintName: 'api_keys_pkey',
  })
  id: string;

  @Column({ name: 'account_id', type: 'uuid', nullable: true })
  accountId: string | null;

  @Column({ name: 'key_hash', type: 'bytea' })
  keyHash: Buffer;

  @Column({ name: 'prefix', type: 'text' })
  prefix: string;

  @Column({ name: 'scopes', type: 'text', array: true })
  scopes: string[];

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'payonce_now()' })
  createdAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  @Column({ name: 'operator', type: 'text', nullable: true })
  operator: string | null;

  @Column({ name: 'mode', type: 'text', nullable: true })
  mode: string | null;
}
