import type { Db } from '#postgres/db.js';
import { LIST_AUDIT } from './audit.sql.js';
import { type Page, type Paging, pageOf } from './paging.js';

/** A page of the acts of operators of one mode, newest first. */
export async function listAudit(
  db: Db,
  mode: 'test' | 'live',
  { limit, after }: Paging,
): Promise<Page> {
  const rows = await db.run(LIST_AUDIT, [mode, limit + 1, after ?? null]);
  return pageOf(
    rows,
    limit,
    ({ id }) => id,
    ({ id: _id, at, ...act }) => ({ at: at.toISOString(), ...act }),
  );
}
