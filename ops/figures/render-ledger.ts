import type { LedgerFigures } from './ledger.js';
import { machine, table } from './render.js';
import type { Spread } from './spread.js';

/** No read took longer than that, but for one in a hundred. */
const P99_MAX_MS = 50;
const ROWS_PER_SECOND_MIN = 200_000;

/** The figures of a big account as the ledger's page shows them. */
export function renderLedger({
  postgres,
  account,
  reads,
  linkMs,
  snapshotMs,
  checkMs,
  addAnewMs,
}: LedgerFigures): string {
  const entries = count(account.entries);
  const perEntry = Number(account.bytes) / account.entries;
  const rows = reads.map(
    ({ name, withSnapshots, without }) =>
      `| ${name} | ${spread(withSnapshots)} | ${spread(without)} |`,
  );
  const preface =
    `Measured by \`npm run figures -- --ledger\` on ${machine()}, Node ${process.versions.node}, PostgreSQL ${postgres} ` +
    `(fsync on, on the same machine): an account with ${entries} entries, ${count(account.blocks)} blocks, over HTTP, one ` +
    `request at a time, ${reads[0]?.withSnapshots.count} of each kind with random instants and entries. Another machine, or ` +
    'a busy one, gives other numbers.';
  const work = [
    `| the chain of these entries, checked by the statement of \`npm run verify\` | ${rate(account, checkMs)} |`,
    `| their snapshots, checked by the statement of \`npm run verify\` | ${rate(account, addAnewMs)} |`,
    `| entries linked, by one worker | ${rate(account, linkMs)} |`,
    `| entries added up into snapshots, by one worker | ${rate(account, snapshotMs)} |`,
    `| snapshots, with all that belongs to them | ${Math.round(perEntry)} bytes an entry |`,
  ];
  return [
    preface,
    table(['read', 'p50, p99', `without snapshots, ${reads[0]?.without.count} of each`], rows),
    table(['what', ''], work),
  ].join('\n\n');
}

/** Every read and the check are as fast as they are meant to be. */
export function isFastEnough({ reads, account, checkMs }: LedgerFigures): boolean {
  const rowsPerSecond = (account.entries / checkMs) * 1_000;
  return (
    reads.every(({ withSnapshots }) => withSnapshots.p99Ms < P99_MAX_MS) &&
    rowsPerSecond > ROWS_PER_SECOND_MIN
  );
}

function rate({ entries }: { entries: number }, ms: number): string {
  return `${count(Math.round((entries / ms) * 1_000))} a second`;
}

function spread({ p50Ms, p99Ms }: Spread): string {
  return `${p50Ms.toFixed(1)} ms, ${p99Ms.toFixed(1)} ms`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
