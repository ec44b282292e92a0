import type { HistoryLine, Row } from '../checker/books.js';
import type { Happening } from './journal.js';

export type Scene = {
  title: string;
  history: readonly HistoryLine[];
  happenings: readonly Happening[];
  /** Calls to the processor for the same intent: rows of `attempts`, each with the moment here at which it began. */
  attempts: readonly (Row & { at: number })[];
};

/**
 * A time-space diagram: one column an actor, time downwards, and an arrow or a mark for each thing that happened. Rows
 * are evenly spaced, since what matters is the order; the moments stand beside them.
 */
export function drawDiagram(scene: Scene): string {
  const marks = marksOf(scene).sort((one, other) => one.at - other.at);
  const actors = [...new Set(marks.flatMap(({ from, to }) => (to ? [from, to] : [from])))].sort(
    (one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1),
  );
  const x = (actor: string) => LEFT + actors.indexOf(actor) * COLUMN;
  const width = LEFT + actors.length * COLUMN;
  const height = TOP + marks.length * ROW + ROW;
  const begun = marks[0]?.at ?? 0;
  const lines = marks.map((mark, index) => {
    const y = TOP + (index + 1) * ROW;
    const ms = `<text class="when" x="8" y="${y + 4}">+${Math.round(mark.at - begun)} ms</text>`;
    return ms + (mark.to ? arrow(x(mark.from), x(mark.to), y, mark) : dot(x(mark.from), y, mark));
  });
  const columns = actors.map(
    (actor) =>
      `<line class="life" x1="${x(actor)}" y1="${TOP}" x2="${x(actor)}" y2="${height - ROW / 2}"/>` +
      `<text class="actor" x="${x(actor)}" y="${TOP - 12}">${escaped(actor)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text class="title" x="8" y="22">${escaped(scene.title)}</text>`,
    ...columns,
    ...lines,
    '</svg>\n',
  ].join('\n');
}

type Mark = {
  at: number;
  from: string;
  to?: string;
  says: string;
  kind: 'ask' | 'answer' | 'bad' | 'work';
};

const LEFT = 190;
const COLUMN = 210;
const TOP = 64;
const ROW = 26;
const STYLE = `text{font:12px sans-serif;fill:#222}.title{font-size:15px;font-weight:600}
.actor{font-weight:600;text-anchor:middle}.when{fill:#777;font-size:11px}.life{stroke:#ccc}
.ask{stroke:#1f5fbf;fill:#1f5fbf}.answer{stroke:#2a8a3e;fill:#2a8a3e}.bad{stroke:#c0271d;fill:#c0271d}
.work{stroke:#8a5a00;fill:#8a5a00}.label{stroke:none;fill:#222;paint-order:stroke}`;

function marksOf({ history, happenings, attempts }: Scene): Mark[] {
  return [
    ...history.map(markOfLine),
    ...happenings.map(({ at, kind, who, detail }): Mark => ({
      at,
      from: who,
      says: `${kind} ${detail}`,
      kind: 'bad',
    })),
    ...attempts.map(markOfAttempt),
  ];
}

function markOfLine({ at, type, client, method, path, status, headers }: HistoryLine): Mark {
  if (type === 'invoke')
    return {
      at,
      from: client,
      to: 'APIs',
      says: `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]+/, '…')}`,
      kind: 'ask',
    };
  if (type === 'lost') return { at, from: client, says: 'no answer, or half of one', kind: 'bad' };
  const again = headers?.idempotent_replayed === 'true' ? ', replayed' : '';
  return { at, from: 'APIs', to: client, says: `${String(status)}${again}`, kind: 'answer' };
}

function markOfAttempt(row: Row & { at: number }): Mark {
  const actor = row['actor'] === 'worker' ? 'workers' : 'APIs';
  const what = `${String(row['action'])} ${String(row['attempt_no'])}`;
  const { outcome } = row;
  const says = `${what}: ${typeof outcome === 'string' ? outcome : 'no end'}`;
  return { at: row.at, from: actor, to: 'processor', says, kind: 'work' };
}

const RANKS = [/^APIs$/, /^api/, /^workers$/, /^worker/, /^database$/, /^processor$/, /./];

function rankOf(actor: string): number {
  const isKnown = /^(APIs|api|workers|worker|database|processor|clock|nemesis)/.test(actor);
  return isKnown ? 1 + RANKS.findIndex((rank) => rank.test(actor)) : 0;
}

function arrow(from: number, to: number, y: number, { says, kind }: Mark): string {
  const head = to > from ? to - 8 : to + 8;
  const middle = (from + to) / 2;
  return (
    `<g class="${kind}"><line x1="${from}" y1="${y}" x2="${head}" y2="${y}"/>` +
    `<polygon points="${to},${y} ${head},${y - 4} ${head},${y + 4}"/>` +
    `<text class="label" text-anchor="middle" x="${middle}" y="${y - 5}">${escaped(short(says))}</text></g>`
  );
}

function dot(x: number, y: number, { says, kind }: Mark): string {
  return (
    `<g class="${kind}"><circle cx="${x}" cy="${y}" r="5"/>` +
    `<text class="label" x="${x + 10}" y="${y + 4}">${escaped(short(says))}</text></g>`
  );
}

function short(text: string): string {
  return text.length > 44 ? `${text.slice(0, 43)}…` : text;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
