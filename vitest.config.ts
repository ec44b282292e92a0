import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

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
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: ['libs/testing/src/postgres-cluster.ts'],
  },
});
