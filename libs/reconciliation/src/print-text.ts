import type { ReportBreakRow } from './breaks.sql.js';
import { amountInWords, KIND_IN_WORDS, sideInWords } from './in-words.js';
import { badLinesOf, breaksOf } from './read-result.js';
import type { Reader, Reconciled } from './reconcile.js';

const BREAKS_SHOWN = 20;
const BAD_LINES_SHOWN = 5;

/** The result for people at a terminal. */
export async function printText(reconciled: Reconciled, reader: Reader): Promise<string> {
  const { processorName, imported, repaired, paidOut, isDryRun } = reconciled;
  const bad = await badLinesOf(reconciled, reader);
  const { open, closed } = await firstBreaks(reconciled, reader);
  const count = imported.lines.toLocaleString('en');
  const known = imported.isKnown ? ', the same file as before' : '';
  return [
    `${processorName}, ${imported.date}: ${count} lines${known}, sha256 ${imported.sha256.slice(0, 12)}`,
    ...Object.entries(imported.totals).map(
      ([currency, { gross, fee, net }]) =>
        `  ${currency.toUpperCase()}  gross ${gross}  fee ${fee}  net ${net}`,
    ),
    ...badLines(imported.badLines, bad),
    ...(isDryRun ? ['A dry run: nothing was written, and nothing repaired.'] : []),
    ...(repaired > 0
      ? [`Repaired: ${repaired.toLocaleString('en')} lines were missing in our books.`]
      : []),
    ...(paidOut > 0 ? [`Paid out, and booked: ${paidOut.toLocaleString('en')} payments.`] : []),
    ...verdict(reconciled),
    ...open.map(shown),
    ...more(reconciled.openInAll - open.length),
    ...(closed > 0 ? [`Closed, since they are gone: ${closed.toLocaleString('en')}`] : []),
    '',
  ].join('\n');
}

async function firstBreaks(reconciled: Reconciled, reader: Reader) {
  const open: ReportBreakRow[] = [];
  let closed = 0;
  for await (const row of breaksOf(reconciled, reader)) {
    if (row.closed_at !== null) closed += 1;
    else if (open.length < BREAKS_SHOWN) open.push(row);
  }
  return { open, closed };
}

function badLines(count: number, bad: { line: number; reason: string }[]): string[] {
  if (count === 0) return [];
  const first = bad
    .slice(0, BAD_LINES_SHOWN)
    .map(({ line, reason }) => `  line ${line}: ${reason}`);
  return [
    `Set aside, since they cannot be read: ${count}`,
    ...first,
    ...more(count - first.length),
  ];
}

function verdict({ open, openInAll }: Reconciled): string[] {
  if (openInAll === 0) return ['No difference is open.'];
  return [
    `Open differences: ${openInAll.toLocaleString('en')}`,
    ...Object.entries(open).map(
      ([kind, count]) =>
        `  ${kind.padEnd(14)}${String(count).padStart(7)}  ${KIND_IN_WORDS[kind] ?? ''}`,
    ),
  ];
}

function shown(row: ReportBreakRow): string {
  const { severity, kind, reference } = row;
  return `  ${severity.padEnd(9)}${kind.padEnd(14)}${reference}  ${amountInWords(row)}  here: ${sideInWords(row.ours)}  there: ${sideInWords(row.theirs)}`;
}

function more(count: number): string[] {
  return count > 0 ? [`  and ${count.toLocaleString('en')} more`] : [];
}
