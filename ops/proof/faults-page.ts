import type { Cell } from './cell.js';
import { CELLS } from './cells.js';
import { MILESTONES, isNotYet } from './milestones.js';
import { ACTIONS, LATER_POINTS, POINTS } from './points.js';

/** How often recorded runs passed a failpoint with an action, as `c5:kill`. */
export type Hits = ReadonlyMap<string, number>;

/** `docs/faults.md`, from the table of faults and from what recorded runs have counted. */
export function faultsPage(hits: Hits): string {
  return [
    '# What can go wrong, and what shows it',
    INTRODUCTION,
    '## Faults',
    table(
      ['#', 'what happens', 'what must come of it', 'shown by'],
      CELLS.map((cell) => [String(cell.cell), cell.fault, cell.expected, shownBy(cell)]),
    ),
    '## Failpoints',
    FAILPOINTS,
    table(
      ['point', 'where a process stands', 'passed by', ...ACTIONS],
      Object.entries(POINTS).map(([name, { where, passedBy }]) => [
        `\`${name}\``,
        where,
        passedBy,
        ...ACTIONS.map((action) => String(hits.get(`${name}:${action}`) ?? 0)),
      ]),
    ),
    `Named, and not there yet: ${laterPoints()}.`,
    '',
  ].join('\n\n');
}

const INTRODUCTION = `This page is written by \`npm run docs\` from
[cells.ts](../ops/proof/cells.ts), [points.ts](../ops/proof/points.ts) and
[proof-runs.jsonl](proof-runs.jsonl). A fault without a test, and a test that is gone, fail \`npm test\`.
What is marked \`--long\` takes minutes: \`npm test -- --long\` runs it, and more kills of the others. The faults of a full
disk need a system that lets the test mount a small one; elsewhere that test is skipped, and says so.`;

const FAILPOINTS = `A failpoint is a named place in the code where a test makes a process die (\`kill\`: SIGKILL), end
(\`term\`: SIGTERM), stand still and wake as a zombie (\`stop\`: SIGSTOP, later SIGCONT), throw, wait or block its event loop.
Each operation passes them: charge, capture, void and refund share one path. The points c8 to c11 of the record step lie
within one statement: a trigger that fails at each table takes their place. The numbers count passages in the recorded
runs of \`npm run prove\` since libs and migrations last changed; at the end of each run the three books agreed.`;

function shownBy({ shownBy: tests, since }: Cell): string {
  const links = tests.map(([file, title]) => {
    const link = `[${file.split('/').at(-1)}](../${file}) “${title}”`;
    return isLong(file) ? `${link} (\`--long\`)` : link;
  });
  if (isNotYet(since)) links.push(`not yet (${MILESTONES[since!]})`);
  return links.join('; ');
}

/** Whether `npm test` leaves the whole file out: what `LONG_SPECS` of ops/test.mjs says, which no build has. */
export function isLong(file: string): boolean {
  return /^test\/(faults\/|drill\.spec\.ts$|recovery\/zombies\.spec\.ts$)/.test(file);
}

function laterPoints(): string {
  return Object.entries(LATER_POINTS)
    .map(([name, { where, since }]) => `\`${name}\` (${where}: ${MILESTONES[since]})`)
    .join(', ');
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
