import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PEERS, folderOf, versionOf } from '../../ops/conformance/peers.js';
import { CHECK_IDS, PHASES } from '../../ops/conformance/phases.js';

const root = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(root, 'docs/peers.md'), 'utf8');
const GUIDE = readFileSync(join(root, 'docs/conformance.md'), 'utf8');

describe('the page of peers', () => {
  it.each(PEERS)('has the version of $package that its lock file pins', (peer) => {
    const heads = PAGE.match(/^\| phase \|.*$/m)?.[0] ?? '';
    expect(heads).toContain(` ${peer.package} ${versionOf(peer)} |`);
    expect(PAGE).toContain(`](${peer.home}) ${versionOf(peer)} (`);
  });

  it.each(PEERS)('is about a folder of $package that no machine has marked', (peer) => {
    const folder = join(root, folderOf(peer));
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock;
    const wanted = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    expect(lock.packages['']?.dependencies).toEqual(wanted.dependencies);
    expect(Object.values(lock.packages).filter(({ resolved }) => resolved)).toEqual([]);
  });

  it('has a row for each phase, and no other', () => {
    const table = PAGE.split('## Phases')[1]?.split(/\n\nA cell says/)[0] ?? '';
    const rows = [...table.matchAll(/^\| (?!phase |---)(.+?) \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(PHASES.map(({ name }) => name));
  });

  it('shows each red cell of its table with a request', () => {
    const red = [...PAGE.matchAll(/^\| (?!phase ).*$/gm)].flatMap(([row]) =>
      [...row.matchAll(/`([a-z]+\.[a-z0-9-]+)`/g)].map(([, id = '']) => id),
    );
    const shown = [...PAGE.matchAll(/^### `(.+?)`.*\n\nSeen: .+\n\n```sh\n(curl .+)/gm)];
    expect(red.length).toBeGreaterThan(5);
    expect(shown.map(([, id = '']) => id).toSorted()).toEqual(red.toSorted());
    expect(red.filter((id) => !CHECK_IDS.has(id))).toEqual([]);
  });
});

describe('the page of the conformance kit', () => {
  it('names each phase, and no other', () => {
    const table = GUIDE.split('| phase | in short |')[1]?.split('\n\n')[0] ?? '';
    const rows = [...table.matchAll(/^\| (?!---)(.+?) \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(PHASES.map(({ name }) => name));
  });
});

type Manifest = { resolved?: string; dependencies?: Record<string, string> };
type Lock = { packages: Record<string, Manifest> };
