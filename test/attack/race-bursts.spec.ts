import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { runRaceBursts } from '../../ops/abuse/race-bursts.js';

const SEED = Number(process.env['ABUSE_SEED'] ?? 1);
const COUNT = Number(process.env['ABUSE_BURSTS'] ?? 24);

/** @keeps P1 */
describe('bursts of fifty requests, released at their last byte', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  it('have exactly one effect, whatever kind of race it is', async () => {
    const { url, apiKey: key } = system.client;
    const options = { url, key, mockUrl: system.mock.url, seed: SEED, count: COUNT };
    const { findings, bursts, kinds, statuses } = await runRaceBursts(options);
    expect(findings).toEqual([]);
    expect(bursts).toBe(COUNT);
    expect(new Set(Object.values(kinds))).toEqual(new Set([COUNT / Object.keys(kinds).length]));
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining(['200', '201', '202', '400', '409', '422']),
    );
  }, 300_000);
});
