import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runSeed } from '../../ops/simulate/job.js';
import { Stage } from '../../ops/simulate/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open(inject('postgresUrl'), `simulate_${process.pid}`);
});
afterAll(() => stage.close());

it('runs a seed the same way twice, to the last row, also on a busy machine', async () => {
  const first = await runSeeds();
  const busy = new Worker('for (;;);', { eval: true });
  const second = await runSeeds();
  await busy.terminate();
  expect(second).toEqual(first);
});

const SEEDS = Array.from({ length: 20 }, (_, n) => String(n + 1));

async function runSeeds(): Promise<object[]> {
  const runs = [];
  for (const seed of SEEDS) {
    const { hash, violations } = await runSeed(stage, seed);
    runs.push({ seed, hash, violations });
  }
  expect(runs.flatMap(({ violations }) => violations)).toEqual([]);
  return runs;
}
