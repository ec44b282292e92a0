import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByHand } from './by-hand.js';

let hand: ByHand;
beforeEach(() => {
  hand = new ByHand();
});
afterEach(() => hand.close());

describe('Ctrl-C', { timeout: 180_000 }, () => {
  it.each([
    ['simulate', ['--seeds', '1..500'], 'Making a new database'],
    ['simulate', ['--seeds', '1..500'], 'schedules'],
    ['prove', ['--only', 'swarm', '--minutes', '1'], 'Making a new database'],
    ['mutants', ['--only', 'm1'], 'Copying the sources'],
    ['mutants', ['--only', 'm1'], 'without mutants'],
  ])('ends %s %j at "%s", says so and leaves nothing behind', async (name, options, word) => {
    let isSaid = false;
    const { code, printed } = await hand.run(['ops/run.mjs', name, ...options], (said) => {
      if (isSaid || !said.includes(word)) return;
      isSaid = true;
      hand.interrupt();
    });
    expect(isSaid, 'was interrupted').toBe(true);
    expect(printed).toContain('STOPPED: ');
    expect(printed).not.toContain('    at ');
    expect(code).toBe(2);
    expect(hand.left()).toEqual([]);
  });
});
