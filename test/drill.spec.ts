import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByHand } from './by-hand.js';

let hand: ByHand;
beforeEach(() => {
  hand = new ByHand();
});
afterEach(() => hand.close());

const run = (heard?: (said: string) => void, options: string[] = []) =>
  hand.run(['ops/run.mjs', 'drill', 'restore', ...options], heard);

// A drill that finds something waits until all has come to rest, which then takes minutes.
describe('npm run drill -- restore', { timeout: 420_000 }, () => {
  it('finds again what was lost, and charges nothing twice', async () => {
    const { code, printed } = await run();
    expect(printed).toContain(
      'HELD: what was lost was found again, and nothing was charged twice.',
    );
    expect(printed).toContain('503 recovering');
    expect(code).toBe(0);
    expect(hand.left()).toEqual([]);
  });

  it('does so where nobody says that the database was restored', async () => {
    const { code, printed } = await run(() => {}, ['--undeclared']);
    expect(printed).toContain('the API saw that the server goes on from another timeline');
    expect(printed).toContain('503 recovering');
    expect([printed.split(':')[0], code]).toEqual(['HELD', 0]);
  });

  it('stops at Ctrl-C, and leaves nothing behind', async () => {
    const { code, printed } = await run((line) => {
      if (line.includes('base backup')) hand.end();
    });
    expect(printed).toBe('STOPPED: nothing is shown.\n');
    expect(code).toBe(2);
    expect(hand.left()).toEqual([]);
  });
});
