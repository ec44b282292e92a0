import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The same condition that tsc uses: `#lib/file.js` means the TypeScript source, so no build stands
  // between an edit and its test.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['node'] } },
  test: {
    include: ['libs/**/*.spec.ts', 'apps/**/*.spec.ts', 'ops/**/*.spec.ts', 'test/**/*.spec.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: ['libs/testing/src/postgres-cluster.ts'],
  },
});
