import type { Books, HistoryLine, Violation } from '../checker/books.js';
import type { Scene } from './diagram.js';
import type { Happening } from './journal.js';

const LINES_MAX = 60;

/** What is drawn: the intent that a violation names, else the one that has the most to tell. */
export function chooseScene(
  books: Books,
  happenings: readonly Happening[],
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
  const from = (first?.at ?? 0) - 200;
  const to = (history.at(-1)?.at ?? 0) + 200;
  const near = happenings.filter(({ at }) => at >= from && at <= to).slice(0, LINES_MAX);
  const [violation] = violations;
  const title = violation ? `${violation.invariant}: ${violation.says}` : `What became of ${key}`;
  return { title, history, happenings: near, attempts: [] };
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
