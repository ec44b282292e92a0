import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILPOINT_NAMES } from '#seams/failpoints.js';

const root = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

describe('the architecture page', () => {
  it.each(['apps', 'libs'])('has a row for each folder of %s, and for no other', (top) => {
    const rows = [...PAGE.matchAll(/^(\| \[.*)$/gm)].flatMap(([row]) =>
      [...(row.split(' | ')[0] ?? '').matchAll(/\]\(\.\.\/([^)/]+)\/([^)/]+)/g)]
        .filter(([, folder]) => folder === top)
        .map(([, , name]) => name),
    );
    expect(rows.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(foldersOf(top));
  });

  it('draws each library that stands between the ground and the apps', () => {
    const drawing = /flowchart BT\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '';
    const aside = ['embedded', 'testing']; // no service knows them
    const missing = foldersOf('libs').filter((name) => !new RegExp(`\\b${name}\\b`).test(drawing));
    expect(missing).toEqual(aside);
  });

  it('names the files of the four hops of a request that pass its failpoints', () => {
    // The phases are where a crash matters; whoever passes a failpoint belongs on the map.
    const passing = ['libs/payments/src', 'libs/platform/src', 'apps/payments-api/src']
      .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
      .filter((path) => /\bfailpoint\('c\d+'\)/.test(readFileSync(join(root, path), 'utf8')));
    expect(passing.length).toBeLessThanOrEqual(FAILPOINT_NAMES.length);
    expect(passing.filter((path) => !PAGE.includes(`(../${path})`))).toEqual([]);
  });
});

function foldersOf(top: string): string[] {
  return readdirSync(join(root, top), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && holdsFiles(join(root, top, entry.name)))
    .map(({ name }) => name)
    .sort();
}

/** Git knows no empty folders; a checkout that once had files in one may still hold it. */
function holdsFiles(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).some((entry) =>
    entry.isFile(),
  );
}
