import type { DataSource, SelectQueryBuilder } from 'typeorm';
import type { Db } from '#postgres/db.js';

export type ReadDeps = { db: Db; source: DataSource };

/** What every list can be asked for. */
export type PageFilters = {
  createdAfter?: Date;
  createdBefore?: Date;
  /** The last one of the page before. */
  after?: string;
  limit: number;
};

export type Page = { data: object[]; next: string | null };

/** One page of rows, newest first, since their ids are ordered by time; `next` is null on the last one. */
export async function readPage<Row extends { id: string }>(
  query: SelectQueryBuilder<Row>,
  { createdAfter, createdBefore, after, limit }: PageFilters,
): Promise<{ rows: Row[]; next: string | null }> {
  const { alias } = query;
  if (createdAfter) query.andWhere(`${alias}.createdAt > :createdAfter`, { createdAfter });
  if (createdBefore) query.andWhere(`${alias}.createdAt < :createdBefore`, { createdBefore });
  if (after !== undefined) query.andWhere(`${alias}.id < :after`, { after });
  const found = await query
    .orderBy(`${alias}.id`, 'DESC')
    .take(limit + 1)
    .getMany();
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
