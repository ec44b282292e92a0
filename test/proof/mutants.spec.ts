import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MUTANTS } from '../../ops/mutants/list.js';
import { type Mutant, spec } from '../../ops/mutants/mutant.js';
import { staleness } from '../../ops/mutants/patch.js';
import { isAssertion } from '../../ops/mutants/spec-runner.js';

const root = join(import.meta.dirname, '../..');

describe('the list of mutants', () => {
  it('has every one of m1 to m36, and no number twice', () => {
    const ids = MUTANTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const listed = new Set(ids.map((id) => /^m\d+/.exec(id)?.[0]).filter(Boolean));
    expect(listed).toEqual(new Set(Array.from({ length: 36 }, (_, at) => `m${at + 1}`)));
  });

  it.each(MUTANTS.filter(({ patches }) => patches.length > 0))(
    '$id fits the sources at exactly one place: $what',
    (mutant) => {
      expect(staleness(root, mutant)).toBeNull();
    },
  );

  it('names a check for each that is not for later', () => {
    const unchecked = MUTANTS.filter(({ checks, since }) => checks.length === 0 && !since);
    expect(unchecked.map(({ id }) => id)).toEqual([]);
  });

  it('takes a text that stands twice, nowhere, or is put back as it was for stale', () => {
    const patched = (find: string, put: string): Mutant => ({
      ...HARMLESS,
      patches: [{ file: 'libs/money/src/money.ts', find, put }],
    });
    expect(staleness(root, patched('AMOUNT_MAX', 'x'))).toContain('stands');
    expect(staleness(root, patched('no such text', 'x'))).toContain('0 times');
    expect(staleness(root, patched('99_999_999', '99_999_999'))).toContain('changes nothing');
  });
});

describe('npm run mutants', { timeout: 300_000 }, () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'payonce-mutants-spec-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('kills five for real, and lets nothing equal to the original count as killed', () => {
    const five = MUTANTS.filter(({ id }) => FIVE.includes(id));
    const { status, stdout, stderr } = run([...five, HARMLESS]);
    expect(stdout, stderr).toContain('5 killed, 1 survived, 0 not yet');
    expect(status).toBe(1);
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
    expect(report.counts).toMatchObject({ killed: 5, survived: 1 });
    expect(report.violations).toMatchObject([{ invariant: 'd0', rows: [expect.any(String)] }]);
    // The sources themselves were never touched.
    for (const mutant of five) expect(staleness(root, mutant)).toBeNull();
  });

  it('cannot run where a patch fits no more', () => {
    const stale = { ...HARMLESS, patches: [{ ...HARMLESS.patches[0], find: 'no such text' }] };
    const { status, stderr } = run([stale as Mutant]);
    expect(status).toBe(2);
    expect(stderr).toContain('d0 is stale');
  });

  function run(mutants: readonly Mutant[]): SpawnSyncReturns<string> {
    const list = join(folder, 'list.json');
    writeFileSync(list, JSON.stringify(mutants));
    const { VITEST: _inner, ...env } = process.env;
    const args = ['ops/run.mjs', 'mutants', '--list', list, '--out', folder];
    return spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  }
});

it('a crash is no assertion', () => {
  expect(isAssertion('AssertionError: expected 1 to be 2')).toBe(true);
  expect(isAssertion('Error: Not within 30000 ms: () => …')).toBe(true);
  expect(isAssertion('TypeError: it is not a function')).toBe(false);
  expect(isAssertion('Error: Test timed out in 45000ms.')).toBe(false);
});

/** Each in a library of its own, so that all are found without a database. */
const FIVE = ['m10c', 'm25a', 'm31d', 'm31e', 'm33b'];

/** Another way to write the same. */
const HARMLESS: Mutant = {
  id: 'd0',
  kind: 'design',
  what: 'the largest amount is written otherwise',
  patches: [{ file: 'libs/money/src/money.ts', find: '99_999_999', put: '99999999' }],
  checks: [spec('libs/money/src/money.spec.ts', 'has the limits of the contract')],
};
