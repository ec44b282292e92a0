import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** Maps the `ledger_chain` table for the drift check. Never used to write. */
@Entity({ name: 'ledger_chain' })
@Check('ledger_chain_hash', 'octet_length(hash) = 32')
@Index('ledger_chain_blocks', ['accountId', 'number'], {
  where: '(number % (2048)::bigint) = 0',
})
@Unique('ledger_chain_once', ['accountId', 'number'])
export class LedgerChainRow {
  @PrimaryColumn({
    name: 'shard',
    type: 'smallint',
    primaryKeyConstraintName: 'ledger_chain_pkey',
  })
  shard: number;

  @PrimaryColumn({
    name: 'sequence',
    type: 'bigint',
    primaryKeyConstraintName: 'ledger_chain_pkey',
  })
  sequence: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId: string;

  @Column({ name: 'entry_id', type: 'uuid' })
  entryId: string;

  @Column({ name: 'number', type: 'bigint' })
  number: string;

  @Column({ name: 'hash', type: 'bytea' })
  hash: Buffer;
}
