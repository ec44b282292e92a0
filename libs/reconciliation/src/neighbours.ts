import type { Tx } from '#postgres/db.js';
import { LIST_NEIGHBOURS } from './import.sql.js';

/** Other reports of a processor that are believed: those of the days around, and those of the days before. */
export async function neighboursOf(
  reader: Pick<Tx, 'run'>,
  processorName: string,
  date: string,
): Promise<{ around: string[]; before: string[] }> {
  const neighbours = await reader.run(LIST_NEIGHBOURS, [processorName, date]);
  return {
    around: neighbours.filter(({ is_near }) => is_near).map(({ id }) => id),
    before: neighbours.filter(({ is_before }) => is_before).map(({ id }) => id),
  };
}
