import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkoutRoot } from '#embedded/home.js';
import { CELLS } from '../../ops/proof/cells.js';
import { faultsPage, isLong } from '../../ops/proof/faults-page.js';
import { MUTANTS } from '../../ops/mutants/list.js';
import { GOALS, figuresOf, invariantsOf, notInjected } from '../../ops/proof/figures-page.js';
import { addUp, addUpAll } from '../../ops/proof/runs.js';
import { LONG_SPECS } from '../../ops/test.mjs';

const PROOF = readFileSync(join(checkoutRoot(), 'docs/proof.md'), 'utf8');

it('docs/faults.md tells of every fault, as npm run docs writes it', () => {
  const page = readFileSync(join(checkoutRoot(), 'docs/faults.md'), 'utf8');
  // The counts grow with every recorded run; the rest follows from the tables of the code.
  expect(withoutCounts(page)).toBe(withoutCounts(faultsPage(new Map())));
});

it('docs/faults.md marks the tests that npm test leaves out', () => {
  const files = CELLS.flatMap(({ shownBy }) => shownBy.map(([file]) => file));
  expect(files.filter(isLong)).not.toEqual([]);
  const leftOut = (file: string) =>
    LONG_SPECS.some((spec) =>
      spec.endsWith('**') ? file.startsWith(spec.slice(0, -2)) : file === spec,
    );
  expect(files.filter(isLong)).toEqual(files.filter(leftOut));
});

it('docs/proof.md says what the checker holds the books to, as npm run docs writes it', () => {
  expect(PROOF).toContain(invariantsOf());
});

it('docs/proof.md says what was not injected, as npm run docs writes it', () => {
  expect(PROOF).toContain(notInjected());
});

it('the gate and its goals are those of the phases and of the list of mutants', () => {
  const goals = Object.fromEntries(GOALS.map(({ count, ci, goal }) => [count, [ci, goal]]));
  const rows = figuresOf({}, {}).split('\n');
  expect(goals['kills']?.[0]).toBe(48);
  expect(goals['mutants']?.[1]).toBe(
    MUTANTS.filter(({ patches, since }) => !since || patches.length > 0).length,
  );
  expect(rows).toHaveLength(2 + GOALS.length);
  for (const { what, ci, goal } of GOALS)
    expect(PROOF).toContain(
      `| ${what} | ${ci.toLocaleString('en-US')} | ${goal.toLocaleString('en-US')} |`,
    );
});

it('mutants are the same ones in each run, and do not add up', () => {
  const run = { at: '', command: '', commit: '' };
  const runs = [
    { ...run, sources: 'a', counts: { mutants: 30 } },
    { ...run, sources: 'a', counts: { mutants: 20 } },
    { ...run, sources: 'b', counts: { mutants: 25 } },
  ];
  expect(addUp(runs, 'a').counts).toMatchObject({ mutants: 30 });
  expect(addUpAll(runs)).toMatchObject({ mutants: 30 });
});

it('runs of the same sources add up, and a seed counts once', () => {
  const run = { at: '', command: '', commit: '' };
  const runs = [
    { ...run, sources: 'a', seeds: [1, 100] as [number, number], counts: { schedules: 100 } },
    { ...run, sources: 'a', seeds: [51, 150] as [number, number], counts: { schedules: 100 } },
    { ...run, sources: 'a', counts: { kills: 3 }, hits: { 'c5:kill': 2 } },
    { ...run, sources: 'a', counts: { kills: 4 }, hits: { 'c5:kill': 1 } },
    { ...run, sources: 'b', seeds: [1, 9] as [number, number], counts: { kills: 99 } },
  ];
  const { counts, hits } = addUp(runs, 'a');
  expect(counts).toEqual({ schedules: 150, kills: 7 });
  expect([...hits]).toEqual([['c5:kill', 3]]);
  expect(addUpAll(runs)).toEqual({ schedules: 159, kills: 106 });
});

function withoutCounts(page: string): string {
  return page.replaceAll(/(?<=^\| `[cwx]\d+` .*)\| \d+(?= )/gm, '| n');
}
