import { Column, Entity, PrimaryColumn, type ColumnType } from 'typeorm';

/** Maps the `ledger_checkpoints` table for the drift check. Never used to write. */
@Entity({ name: 'ledger_checkpoints' })
export class LedgerCheckpointRow {
  @PrimaryColumn({
    name: 'shard',
    type: 'smallint',
    primaryKeyConstraintName: 'ledger_checkpoints_pkey',
  })
  shard: number;

  @PrimaryColumn({
    name: 'minute',
    type: 'timestamptz',
    primaryKeyConstraintName: 'ledger_checkpoints_pkey',
  })
  minute: Date;

  @Column({ name: 'sequence', type: 'bigint' })
  sequence: string;

  @Column({ name: 'hash', type: 'bytea' })
  hash: Buffer;

  @Column({ name: 'count', type: 'bigint' })
  count: string;

  @Column({ name: 'position_xid', type: 'xid8' as ColumnType })
  positionXid: string;

  @Column({ name: 'position_account', type: 'uuid' })
  positionAccount: string;

  @Column({ name: 'position_entry', type: 'uuid' })
  positionEntry: string;

  @Column({ name: 'signed_at', type: 'timestamptz' })
  signedAt: Date;

  @Column({ name: 'signing_key', type: 'text' })
  signingKey: string;

  @Column({ name: 'signature', type: 'bytea' })
  signature: Buffer;
}
