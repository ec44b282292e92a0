import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkoutRoot } from '#embedded/home.js';
import { faultsPage } from '../../ops/proof/faults-page.js';
import { invariantsOf } from '../../ops/proof/figures-page.js';
import { addUp, addUpAll } from '../../ops/proof/runs.js';

const PROOF = readFileSync(join(checkoutRoot(), 'docs/proof.md'), 'utf8');

it('docs/faults.md tells of every fault, as npm run docs writes it', () => {
  const page = readFileSync(join(checkoutRoot(), 'docs/faults.md'), 'utf8');
  // The counts grow with every recorded run; the rest follows from the tables of the code.
  expect(withoutCounts(page)).toBe(withoutCounts(faultsPage(new Map())));
});

it('docs/proof.md says what the checker holds the books to, as npm run docs writes it', () => {
  expect(PROOF).toContain(invariantsOf());
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
