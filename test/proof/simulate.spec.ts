import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { IS_LONG } from '#testing/is-long.js';
import { runSeed } from '../../ops/simulate/job.js';
import { readList } from '../../ops/simulate/list.js';
import type { Tamper } from '../../ops/simulate/network.js';
import { Listed } from '../../ops/simulate/policy.js';
import { runSchedule } from '../../ops/simulate/run.js';
import { Stage } from '../../ops/simulate/stage.js';

const LISTS = join(import.meta.dirname, 'lists');

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open(inject('postgresUrl'), `simulate_${process.pid}`);
});
afterAll(() => stage.close());

/** With `--long` more; `npm run prove -- --ci` runs a thousand others. */
const SCHEDULES = IS_LONG ? 500 : 250;

// Real time has no say in it, so a machine that is busy otherwise may take as long as it likes.
describe('the simulation', { timeout: 600_000 }, () => {
  it('runs a seed the same way twice, to the last row, also on a busy machine', async () => {
    const first = await runSeeds();
    const busy = new Worker('for (;;);', { eval: true });
    const second = await runSeeds();
    await busy.terminate();
    expect(second).toEqual(first);
  });

  it(`holds in ${SCHEDULES} schedules`, async () => {
    const found = [];
    for (let seed = 1_001; seed <= 1_000 + SCHEDULES; seed += 1) {
      const { violations } = await runSeed(stage, String(seed));
      if (violations.length > 0) found.push({ seed, violations });
    }
    expect(found).toEqual([]);
  });

  it('finds a service that sends each attempt under a key of its own', async () => {
    const found = await firstFailure(freshKeys());
    expect(found?.violations.map(({ invariant }) => invariant)).toContain('I1');
  });

  it.each(existsSync(LISTS) ? readdirSync(LISTS) : [])('holds what %s had broken', async (name) => {
    const { plan, choices } = readList(join(LISTS, name));
    const { violations } = await runSchedule(stage, plan, new Listed(choices));
    expect(violations).toEqual([]);
  });
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

async function firstFailure(tamper: Tamper) {
  for (const seed of SEEDS) {
    const result = await runSeed(stage, seed, tamper);
    if (result.violations.some(({ invariant }) => invariant === 'I1')) return result;
  }
  return null;
}

function freshKeys(): Tamper {
  let attempts = 0;
  return (request) => {
    const key = request.headers['Idempotency-Key'];
    if (key === undefined) return request;
    attempts += 1;
    return { ...request, headers: { ...request.headers, 'Idempotency-Key': `${key}-${attempts}` } };
  };
}
