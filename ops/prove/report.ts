import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Books, Violation } from '../checker/books.js';
import { checkoutRoot } from '#embedded/home.js';
import { NOT_INJECTED } from '../proof/not-injected.js';
import { commitOf } from '../proof/runs.js';
import { drawDiagram } from './diagram.js';
import type { Journal } from './journal.js';
import { chooseScene } from './scene.js';

export type Verdict = 'held' | 'violated' | 'vacuous';

export type Outcome = {
  verdict: Verdict;
  seed: number;
  counts: Record<string, number>;
  /** Null: not yet, a later milestone brings it. */
  sometimes: Record<string, number | null>;
  violations: readonly Violation[];
};

/** Writes `report.json`, for programs. */
export function writeReport(folder: string, outcome: Outcome): void {
  const { verdict, seed, counts, sometimes, violations } = outcome;
  const report = {
    verdict,
    seed,
    commit: commitOf(checkoutRoot()),
    counts,
    sometimes: Object.fromEntries(
      Object.entries(sometimes).map(([name, count]) => [name, count ?? 'not yet']),
    ),
    violations,
  };
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
}

/** Writes `diagram.svg`: the failing intent, or the one that has the most to tell. */
export function writeDiagram(
  folder: string,
  books: Books,
  journal: Journal,
  violations: readonly Violation[],
): void {
  const scene = chooseScene(books, journal, violations);
  writeFileSync(join(folder, 'diagram.svg'), drawDiagram(scene));
}

const SHOWN_MAX = 10;
/** By this command; tests and simulated schedules have one. */
const KEYLESS = 'a processor that forgets or ignores its keys';

/** The verdict for people: what was done, what was found, what was not tried, and how to do it again. */
export function verdictText(
  outcome: Outcome,
  {
    folder,
    lines,
    zeros,
    command,
  }: { folder: string; lines: string[]; zeros: string[]; command: string },
): string {
  const { verdict, violations, counts } = outcome;
  const words = {
    held: 'HELD: what clients saw, the database and the processor agree to the cent.',
    violated: `VIOLATED: ${violations.length} contradictions between the books.`,
    vacuous: 'VACUOUS: nothing was violated, but some of what had to be tried never happened.',
  };
  const number = (name: string) => counts[name] ?? 0;
  return [
    '',
    words[verdict],
    '',
    ...lines.map((line) => `  ${line}`),
    '',
    `  intents ${number('intents')}, requests ${number('requests')}, booked by the processor ${number('booked')}`,
    `  SIGKILLs ${number('SIGKILLs')}, database crash-restarts ${number('database crash-restarts')}, commits cut ` +
      `${number('cut_before')} before and ${number('cut_after')} after`,
    ...missing(zeros),
    `  not injected: ${[...NOT_INJECTED, KEYLESS].join(', ')}`,
    ...violations
      .slice(0, SHOWN_MAX)
      .map(({ invariant, says, rows }) => `  ${invariant}: ${says}\n      ${shown(rows)}`),
    ...(violations.length > SHOWN_MAX ? [`  … ${violations.length - SHOWN_MAX} more`] : []),
    '',
    `  again: ${command}`,
    `  files: ${folder}/report.json, diagram.svg, h.jsonl, d.jsonl, p.jsonl, events.jsonl, services.jsonl`,
    `  judge them again: npm run prove -- --check ${folder}`,
    '',
  ].join('\n');
}

/** Failpoints and actions are too many to be named. */
function missing(zeros: readonly string[]): string[] {
  const points = zeros.filter((name) => name.startsWith('failpoint '));
  const others = zeros.filter((name) => !points.includes(name));
  return [
    ...(others.length > 0 ? [`  never happened in this run: ${others.join(', ')}`] : []),
    ...(points.length > 0
      ? [`  failpoint and action, not hit in this run: ${points.length}, named in report.json`]
      : []),
  ];
}

function shown(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
