import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const docs = join(import.meta.dirname, '../../docs');
const PAGE = readFileSync(join(docs, 'attacks.md'), 'utf8');
const rows = [...PAGE.matchAll(/^\| \*\*(.+?)\.?\*\*.*$/gm)].map(([row, name = '']) => ({
  name,
  row,
  specs: [...row.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path),
}));

describe('the page of attacks', () => {
  it('has a row for each of the seventeen kinds', () => {
    expect(rows).toHaveLength(17);
  });

  it.each(rows)(
    '$name: names specs that exist and test something, or comes later',
    ({ row, specs }) => {
      expect(specs.length > 0 || row.includes('comes later')).toBe(true);
      for (const path of specs) {
        expect(path).toMatch(/\.spec\.ts$/);
        expect(existsSync(join(docs, path)), path).toBe(true);
        expect(readFileSync(join(docs, path), 'utf8'), path).toMatch(/\bexpect\(/);
      }
    },
  );

  it('names every spec that is an attack', () => {
    const folder = join(docs, '../test/attack');
    const own = readdirSync(folder).filter((name) => name.endsWith('.spec.ts'));
    const missing = own.filter((name) => !PAGE.includes(`../test/attack/${name}`));
    expect(missing).toEqual(ABOUT_RECOVERY);
  });
});

/** These shake recovery, not the doors. */
const ABOUT_RECOVERY = ['interrupted-close.spec.ts', 'look-ups-without-answer.spec.ts'];
