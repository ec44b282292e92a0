import type { Books, HistoryLine, Violation } from '../checker/books.js';
import { hashOf } from '../checker/keys.js';
import type { Scene } from './diagram.js';
import type { Journal } from './journal.js';

const LINES_MAX = 60;

/** What is drawn: the intent that a violation names, else the one that has the most to tell. */
export function chooseScene(
  books: Books,
  journal: Journal,
  violations: readonly Violation[],
): Scene {
  const byKey = new Map<string, HistoryLine[]>();
  for (const line of books.history) {
    if (line.key === null) continue;
    const lines = byKey.get(line.key);
    if (lines) lines.push(line);
    else byKey.set(line.key, [line]);
  }
  const failing = violations.length > 0 ? keyNamedBy(violations, byKey) : undefined;
  const key = failing ?? mostTelling(byKey) ?? '';
  const history = (byKey.get(key) ?? []).slice(0, LINES_MAX);
  const [first] = history;
  const attempts = attemptsFor(books, first, journal).slice(0, LINES_MAX);
  const moments = [...history, ...attempts].map(({ at }) => at);
  const from = Math.min(...moments) - 200;
  const to = Math.max(...moments) + 200;
  const near = journal.happenings.filter(({ at }) => at >= from && at <= to).slice(0, LINES_MAX);
  const [violation] = violations;
  const title = violation ? `${violation.invariant}: ${violation.says}` : `What became of ${key}`;
  return { title, history, happenings: near, attempts };
}

/** What was asked of the processor for the intent that this line is of, by requests and workers. */
function attemptsFor(
  { database }: Books,
  line: HistoryLine | undefined,
  journal: Journal,
): Scene['attempts'] {
  if (line?.key == null) return [];
  const hash = hashOf(line.key);
  const operations = (database['operations'] ?? []).filter(
    (row) => row['account_id'] === line.account && row['key_hash'] === hash,
  );
  const ids = new Set(operations.map(({ id }) => id));
  return (database['attempts'] ?? [])
    .filter((row) => ids.has(row['operation_id']))
    .map((row) => ({ ...row, at: journal.momentOf(Date.parse(String(row['opened_at']))) }));
}

function keyNamedBy(
  violations: readonly Violation[],
  byKey: ReadonlyMap<string, HistoryLine[]>,
): string | undefined {
  const text = JSON.stringify(violations[0]?.rows ?? []);
  return [...byKey.keys()].find((key) => text.includes(key));
}

/** Losses and different statuses: an intent that went straight through tells nothing. */
function mostTelling(byKey: ReadonlyMap<string, HistoryLine[]>): string | undefined {
  const worth = (lines: readonly HistoryLine[]) =>
    Math.min(lines.filter(({ type }) => type === 'lost').length, 5) * 2 +
    new Set(lines.map(({ status }) => status)).size -
    lines.length / 20;
  const all = [...byKey].map(([key, lines]) => ({ key, worth: worth(lines) }));
  return all.sort((one, other) => other.worth - one.worth)[0]?.key;
}
