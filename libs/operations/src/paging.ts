/** What a list is asked for: how many, and after which. */
export type Paging = { limit: number; after?: string };

export type Page = { data: object[]; next: string | null };

/** A page of rows that were read with one row more than it holds: the one that tells of a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
  render: (row: Row) => object,
): Page {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? idOf(last) : null;
  return { data: page.map(render), next };
}
