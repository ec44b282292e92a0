import { LIST_REPORT_BREAKS, type ReportBreakRow } from './breaks.sql.js';
import { LIST_BAD_LINES } from './import.sql.js';
import { type Reader, type Reconciled, REPORT_KINDS } from './reconcile.js';

const PAGE = 2_000;
/** A file that is broken from end to end needs no list of it. */
const BAD_LINES_MAX = 10_000;

/** The breaks of a run, a page of them in memory at a time: those that are open, and those that it closed. */
export async function* breaksOf(
  { processorName, imported, startedAt }: Reconciled,
  reader: Reader,
): AsyncGenerator<ReportBreakRow> {
  let last = ['', ''];
  for (;;) {
    const values = [processorName, imported.date, startedAt, ...last, PAGE, REPORT_KINDS];
    const page = await reader.run(LIST_REPORT_BREAKS, values);
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < PAGE) return;
    last = [end.kind, end.reference];
  }
}

/** The lines that could not be read, by number, with the reason of each. */
export function badLinesOf(
  { imported }: Reconciled,
  reader: Reader,
): Promise<{ line: number; reason: string }[]> {
  return reader.run(LIST_BAD_LINES, [imported.id, BAD_LINES_MAX]);
}
