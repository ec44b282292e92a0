import type { Db } from '#postgres/db.js';
import { ADD_CHECKPOINT, READ_UNSIGNED, type UnsignedRow } from './chain.sql.js';
import { type SigningKeys, signCheckpoint } from './signing-keys.js';

/** A checkpoint, as the log keeps it outside the database. */
export type Signed = {
  shard: number;
  sequence: string;
  hash: string;
  signed_at: string;
  signing_key: string;
  signature: string;
};

/**
 * Signs each chain once a minute. Of two workers one writes the row, and only it says so; killed in between, the row is
 * there without its log line, and the next minute has both.
 */
export async function signCheckpoints(
  db: Db,
  signer: NonNullable<SigningKeys['signer']>,
): Promise<Signed[]> {
  const signed: Signed[] = [];
  for (const row of await db.run(READ_UNSIGNED, [])) {
    const signature = signCheckpoint(signer, row);
    const [written] = await db.run(ADD_CHECKPOINT, valuesOf(row, signer.name, signature));
    if (written === undefined) continue;
    signed.push({
      shard: row.shard,
      sequence: row.sequence,
      hash: row.hash.toString('hex'),
      signed_at: row.signed_at,
      signing_key: signer.name,
      signature: signature.toString('base64'),
    });
  }
  return signed;
}

function valuesOf(row: UnsignedRow, key: string, signature: Buffer): unknown[] {
  return [
    row.shard,
    row.minute,
    row.sequence,
    row.hash,
    row.position_xid,
    row.position_account,
    row.position_entry,
    row.signed_at,
    key,
    signature,
  ];
}
