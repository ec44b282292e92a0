import { Column, Entity, PrimaryColumn, type ColumnType } from 'typeorm';

/** Maps the `ledger_shards` table for the drift check. Never used to write. */
@Entity({ name: 'ledger_shards' })
export class LedgerShardRow {
  @PrimaryColumn({
    name: 'shard',
    type: 'smallint',
    primaryKeyConstraintName: 'ledger_shards_pkey',
  })
  shard: number;

  @Column({ name: 'sequence', type: 'bigint' })
  sequence: string;

  @Column({
    name: 'hash',
    type: 'bytea',
  })
  hash: Buffer;

  @Column({ name: 'position_xid', type: 'xid8' as ColumnType })
  positionXid: string;

  @Column({
    name: 'position_account',
    type: 'uuid',
  })
  positionAccount: string;

  @Column({
    name: 'position_entry',
    type: 'uuid',
  })
  positionEntry: string;
}
