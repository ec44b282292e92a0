import { join, relative } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG_SPECS } from './ops/test.mjs';

/** Folders whose files take longest: begun first, so that no worker is left alone with one at the end. */
const LONGEST_FIRST = [
  'test/proof/simulate',
  'test/start',
  'test/crash',
  'test/recovery',
  'test/api/keys',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one.moduleId) - rank(other.moduleId));
  }
}

function rank(file: string): number {
  const path = relative(import.meta.dirname, file);
  const found = LONGEST_FIRST.findIndex((folder) => path.startsWith(folder));
  return found === -1 ? LONGEST_FIRST.length : found;
}

/** Only `npm test -- --long` runs them: what the rest of `npm test` takes must stay under ten minutes. */
const LONG = process.env['PAYONCE_LONG_TESTS'] === undefined ? [...LONG_SPECS] : [];

export default defineConfig({
  // As for tsc, `#lib/file.js` means the TypeScript source, so no build stands between an edit and its
  // test. An alias, since Vite takes the suffix in a package's "imports" literally.
  resolve: {
    alias: [
      { find: /^#(\w+)\/(.+)\.js$/, replacement: join(import.meta.dirname, 'libs/$1/src/$2.ts') },
    ],
  },
  test: {
    include: ['libs/**/*.spec.ts', 'apps/**/*.spec.ts', 'ops/**/*.spec.ts', 'test/**/*.spec.ts'],
    exclude: [...configDefaults.exclude, ...LONG],
    pool: 'forks',
    maxWorkers: 2,
    // A worker keeps its modules from one file to the next: loading Nest, TypeORM and the sources anew for each
    // took half of all processor time. What our modules keep (a build that was made, statements by name) is true in
    // the next file as well.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What is polled for comes in its own time: a second, the default, is short for a machine with other work.
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['libs/testing/src/postgres-cluster.ts'],
  },
});
