import type { ReportBreakRow } from './breaks.sql.js';
import { badLinesOf, breaksOf } from './read-result.js';
import type { Reader, Reconciled } from './reconcile.js';

/** The result for machines: one JSON object, in pieces, since a day may have a million breaks. */
export async function* printJson(reconciled: Reconciled, reader: Reader): AsyncGenerator<string> {
  const { processorName, imported, repaired, paidOut } = reconciled;
  const head = {
    processor: processorName,
    date: imported.date,
    file_sha256: imported.sha256,
    lines: imported.lines,
    bad_lines: await badLinesOf(reconciled, reader),
    repaired,
    paid_out: paidOut,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"breaks":[`;
  let separator = '';
  for await (const row of breaksOf(reconciled, reader)) {
    yield separator + JSON.stringify(rendered(row));
    separator = ',';
  }
  yield `],"totals":${JSON.stringify(imported.totals)}}\n`;
}

function rendered({ kind, reference, severity, ours, theirs, ...times }: ReportBreakRow): object {
  return {
    kind,
    reference,
    severity,
    ours,
    theirs,
    first_seen: times.first_seen.toISOString(),
    last_seen: times.last_seen.toISOString(),
    closed_at: times.closed_at?.toISOString() ?? null,
  };
}
