import { defineConfig } from 'vitest/config';

// The house rules alone: no database, so that `npm run check` stays a matter of seconds.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['node'] } },
  test: { include: ['test/tidy.spec.ts'], pool: 'forks', maxWorkers: 1, testTimeout: 60_000 },
});
