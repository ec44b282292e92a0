import type { ReportBreakRow } from './breaks.sql.js';
import { amountInWords, KIND_IN_WORDS, sideInWords } from './in-words.js';
import { badLinesOf, breaksOf } from './read-result.js';
import type { Reader, Reconciled } from './reconcile.js';

/** More rows than that nobody reads on a page; the machine's report has them all. */
const ROWS_MAX = 1_000;

/** The result as one page that needs nothing else: no script, no address, and every text of others escaped. */
export async function printHtml(reconciled: Reconciled, reader: Reader): Promise<string> {
  const { processorName, imported, repaired, paidOut, openInAll, isDryRun } = reconciled;
  const title = `Reconciliation of ${processorName}, ${imported.date}`;
  const bad = await badLinesOf(reconciled, reader);
  const rows: ReportBreakRow[] = [];
  for await (const row of breaksOf(reconciled, reader)) {
    rows.push(row);
    if (rows.length === ROWS_MAX) break;
  }
  const facts: [string, string][] = [
    ['Lines', imported.lines.toLocaleString('en')],
    ['Lines set aside', imported.badLines.toLocaleString('en')],
    ['Repaired', isDryRun ? 'a dry run repairs nothing' : repaired.toLocaleString('en')],
    ['Paid out, and booked', isDryRun ? 'a dry run books nothing' : paidOut.toLocaleString('en')],
    ['Open differences', openInAll.toLocaleString('en')],
    ['SHA-256 of the file', imported.sha256],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p class="${openInAll === 0 ? 'clean' : 'open'}">${
    openInAll === 0
      ? 'No difference is open.'
      : `${openInAll.toLocaleString('en')} differences are open.`
  }</p>
${table(['', ''], facts, 'facts')}
<h2>Totals</h2>
${table(
  ['Currency', 'Gross', 'Fee', 'Net'],
  Object.entries(imported.totals).map(([currency, { gross, fee, net }]) => [
    currency.toUpperCase(),
    gross,
    fee,
    net,
  ]),
  'sums',
)}
<h2>Differences</h2>
${rows.length === 0 ? '<p>None.</p>' : table(COLUMNS, rows.map(cells), 'breaks')}
${rows.length === ROWS_MAX ? `<p>The first ${ROWS_MAX} are shown.</p>` : ''}
${
  bad.length === 0
    ? ''
    : `<h2>Lines set aside</h2>\n${table(
        ['Line', 'Why'],
        bad.slice(0, ROWS_MAX).map(({ line, reason }) => [String(line), reason]),
        'bad',
      )}`
}
</body>
</html>
`;
}

const COLUMNS = ['Severity', 'What', 'Reference', 'About', 'Here', 'There', 'First seen', 'Closed'];

function cells(row: ReportBreakRow): string[] {
  return [
    row.severity,
    KIND_IN_WORDS[row.kind] ?? row.kind,
    row.reference,
    amountInWords(row),
    sideInWords(row.ours),
    sideInWords(row.theirs),
    row.first_seen.toISOString(),
    row.closed_at?.toISOString() ?? '',
  ];
}

function table(head: readonly string[], rows: readonly string[][], name: string): string {
  const line = (tag: string, texts: readonly string[]) =>
    `<tr>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join('')}</tr>`;
  const top = head.every((text) => text === '') ? '' : `<thead>${line('th', head)}</thead>`;
  const body = rows.map((texts) => line('td', texts)).join('\n');
  return `<div class="wide"><table class="${name}">${top}<tbody>\n${body}\n</tbody></table></div>`;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (found) => ESCAPES[found] ?? '');
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
.clean { color: #14713d; font-weight: 600; } .open { color: #b3261e; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }
th, td { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
.sums td { font-variant-numeric: tabular-nums; } td { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { .clean { color: #6fd396; } .open { color: #ff897d; } }`;
