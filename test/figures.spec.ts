import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByHand } from './by-hand.js';

let hand: ByHand;
beforeEach(() => {
  hand = new ByHand();
});
afterEach(() => hand.close());

const run = (args: string[], heard?: (said: string) => void) =>
  hand.run(['ops/run.mjs', 'figures', ...args], heard);

describe('npm run figures', () => {
  it.each([
    ['while the database is made', 'Making a new database'],
    ['while it measures', 'planted 2000 of'],
  ])('stops at Ctrl-C %s, and leaves nothing behind', async (_when, word) => {
    const { code, printed } = await run(['--reconciliation', '--lines', '2000,3000'], (said) => {
      if (said.includes(word)) hand.interrupt();
    });
    expect(printed).toBe('STOPPED: nothing was measured.\n');
    expect(code).toBe(2);
    expect(hand.left()).toEqual([]);
  });

  it('looks at every size before it measures the first', async () => {
    const { code, printed } = await run(['--reconciliation', '--lines', '2000,1']);
    expect(printed).toBe('');
    expect(code).toBe(2);
    expect(hand.left()).toEqual([]);
  });
});
