import { AUDIT_OPERATION } from '#operations/audit.sql.js';
import type { Db, Tx } from '#postgres/db.js';
import type { Statement } from '#postgres/statement.js';
import type { Lease } from './lease.js';

/**
 * Runs the statement that ends a run. One that ends it for an operator has its audit row in the same
 * transaction: a deed without its row is impossible, and so is a row without its deed. `alsoIn` belongs
 * to the same commit, if the statement moved anything.
 */
export async function endRun<Row>(
  db: Db,
  { accountId, operationId, act }: Lease,
  statement: Statement<Row>,
  values: readonly unknown[],
  sent?: () => Promise<void>,
  alsoIn?: (tx: Tx) => Promise<unknown>,
): Promise<Row[]> {
  if (act === undefined && alsoIn === undefined) return db.run(statement, values, sent);
  const rows = await db.transaction(async (tx) => {
    const moved = await tx.run(statement, values);
    if (moved.length === 0) return moved; // the lease is lost: nothing was done
    await alsoIn?.(tx);
    if (act === undefined) return moved;
    const { actor, action, reason, before } = act;
    const told = [accountId, operationId, actor, action, reason, JSON.stringify(before)];
    const [row] = await tx.run(AUDIT_OPERATION, told);
    if (!row) throw new Error('Bug: a deed on an operation that is not there');
    return moved;
  });
  if (act !== undefined) act.done = rows.length > 0;
  return rows;
}
