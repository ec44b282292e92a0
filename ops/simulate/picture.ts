import { writeFileSync } from 'node:fs';
import { drawDiagram } from '../prove/diagram.js';
import type { Result } from './run.js';

/** Draws a schedule as the proof draws its runs: who asked whom, and everything that did not go well. */
export function writePicture(file: string, { plan, books, trace, violations }: Result): void {
  const [first] = violations;
  const verdict = first === undefined ? 'all held' : `${first.invariant}: ${first.says}`;
  const happenings = trace.lines
    .filter(({ end, task }) => end !== 'ok' || BEFALLS.test(task))
    .map(({ atMs, task, what, end }) => ({
      at: atMs,
      who: task.replace(/^late |^(fate|line|lock) of |[/ ].*$/g, ''),
      kind: what,
      detail: end === 'ok' ? '' : end,
    }));
  const { history, database } = books;
  const attempts = (database['attempts'] ?? []).map((row) => ({
    ...row,
    at: Date.parse(String(row['opened_at'])),
  }));
  const title = `${plan.seed}: ${verdict}`;
  writeFileSync(file, drawDiagram({ title, history, happenings, attempts }));
}

/** Steps of what befalls the processes: they go well, and are none the less worth a mark. */
const BEFALLS = /^(late |fate of |line of |lock of |time$|bank$)/;
