import type { ReconciliationFigures } from './reconciliation.js';
import { machine, table } from './render.js';

/** The figures of reconciliation as its page shows them: a column for each report. */
export function renderReconciliation(all: readonly ReconciliationFigures[]): string {
  const rows = ROWS.map(([what, value]) => `| ${[what, ...all.map(value)].join(' | ')} |`);
  const text = table(['what', ...all.map(() => '')], rows);
  return `${preface(all[0]?.postgres ?? '')}\n\n${text}${all.map(alarms).join('')}`;
}

const ROWS: [what: string, value: (figures: ReconciliationFigures) => string][] = [
  ['lines of the report', ({ report, bytes }) => `${count(report.lines)} (${mega(bytes)})`],
  ['planted anomalies found', ({ score }) => `${count(score.found)} of ${count(score.planted)}`],
  ['false alarms', ({ score }) => count(score.falseAlarms.length)],
  ['cents unexplained', ({ score }) => String(score.centsUnexplained)],
  ['broken lines named', ({ badLines, report }) => `${badLines} of ${report.brokenLines}`],
  ['payouts booked', ({ paidOut }) => `${count(paidOut)} entries`],
  ['time, all in', ({ run, report }) => timeOf(run.ms, report.lines)],
  [
    'peak memory of the process',
    ({ run }) => (run.peakBytes === null ? 'not told here' : mega(run.peakBytes)),
  ],
];

function mega(size: number): string {
  return `${Math.round(size / 1e6)} MB`;
}

function timeOf(ms: number, lines: number): string {
  const perMillion = (ms / lines) * 1_000;
  return `${(ms / 1_000).toFixed(1)} s, ${perMillion.toFixed(1)} s a million lines`;
}

/** Everything was found, nothing else was, and every cent is explained. */
export function isPerfect({ score, badLines, report }: ReconciliationFigures): boolean {
  return (
    score.found === score.planted &&
    score.falseAlarms.length === 0 &&
    score.centsUnexplained === 0n &&
    badLines === report.brokenLines
  );
}

function preface(postgres: string): string {
  return (
    `Measured by \`npm run figures -- --reconciliation\` on ${machine()}, Node ${process.versions.node}, PostgreSQL ` +
    `${postgres} (fsync on, on the same machine), from the start of the process to its end. Making the report and the ` +
    'rows of our payments is aside. Another machine, or a busy one, gives other numbers.'
  );
}

const SHOWN_MAX = 5;

/** Whoever sees that something is not right wants to know what. */
function alarms({ score: { missed, falseAlarms } }: ReconciliationFigures): string {
  const say = (what: string, list: { kind: string; reference: string }[]) =>
    list.slice(0, SHOWN_MAX).map(({ kind, reference }) => `\n${what}: ${kind} ${reference}`);
  const lines = [...say('missed', missed), ...say('false alarm', falseAlarms)];
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
