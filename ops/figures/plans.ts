import type { Statement } from '#postgres/statement.js';
import * as sql from './plant.sql.js';
import type { Planter } from './plant.js';

export type Plan = {
  statement: string;
  /** Where its rows come from: the index, or the table that is read whole. */
  reads: string[];
  /** Pages of 8 kB, found in the cache or not. */
  pages: number;
  ms: number;
};

/** How PostgreSQL runs a statement once its plan is cached: executed for real, and undone. */
export async function explain(
  planter: Planter,
  { name, text }: Statement<unknown>,
  values: readonly (string | number)[],
): Promise<Plan> {
  await planter.query('BEGIN');
  try {
    await planter.query(sql.FORCE_GENERIC_PLAN);
    await planter.query(sql.PREPARE_PLAN(text));
    await planter.query(sql.EXPLAIN_PLAN(values)); // the first run fills caches
    const { rows } = (await planter.query(sql.EXPLAIN_PLAN(values))) as { rows: Explained[] };
    await planter.query(sql.FORGET_PLAN);
    return planOf(name, rows[0]);
  } finally {
    await planter.query('ROLLBACK');
  }
}

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Node[];
};
type Explained = { 'QUERY PLAN': { Plan: Node; 'Execution Time': number }[] };

function planOf(statement: string, explained: Explained | undefined): Plan {
  const found = explained?.['QUERY PLAN'][0];
  if (!found) throw new Error(`${statement} has no plan`);
  const { Plan: top, 'Execution Time': ms } = found;
  const pages = (top['Shared Hit Blocks'] ?? 0) + (top['Shared Read Blocks'] ?? 0);
  return { statement, reads: [...new Set(readsOf(top))], pages, ms };
}

/** Tables of a few rows are left out: they are read whole, and rightly. */
const TINY = new Set(['sweep_marks', 'pg_database']);

function readsOf(node: Node): string[] {
  const index = node['Index Name'];
  const table = node['Relation Name'];
  const here =
    index !== undefined
      ? [`index \`${index}\``]
      : node['Node Type'] === 'Seq Scan' && table !== undefined && !TINY.has(table)
        ? [`all of \`${table}\``]
        : [];
  return [...here, ...(node.Plans ?? []).flatMap(readsOf)];
}
