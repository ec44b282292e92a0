import { describe, expect, test } from 'vitest';
import { readBreaks, readPlanted, score } from './score.js';

const PLANTED = [
  { kind: 'amount', reference: 'pi_1', amount: -1 },
  { kind: 'missing_there', reference: 'pi_2', amount: -2500 },
  { kind: 'timing', reference: 'pi_3', amount: 400 },
];
const FOUND = [
  { kind: 'timing', reference: 'pi_3', difference: null },
  { kind: 'amount', reference: 'pi_1', difference: 1n },
  { kind: 'missing_there', reference: 'pi_2', difference: -2500n },
];
const BLANK = { planted: 3, found: 3, missed: [], falseAlarms: [], centsUnexplained: 0n };

test('all that was planted, in any order, and nothing else explains every cent', () => {
  expect(score(PLANTED, FOUND)).toEqual(BLANK);
});

describe('what costs', () => {
  test('one that was missed: all of its amount', () => {
    const missed = PLANTED.slice(1, 2);
    expect(score(PLANTED, FOUND.slice(0, 2))).toEqual({
      ...BLANK,
      found: 2,
      missed,
      centsUnexplained: 2500n,
    });
  });

  test.each([
    [
      'of a kind that was not planted there',
      { kind: 'fee', reference: 'pi_1', difference: 7n },
      7n,
    ],
    ['about something else', { kind: 'amount', reference: 'pi_9', difference: -7n }, 7n],
    ['a second time', { kind: 'amount', reference: 'pi_1', difference: 1n }, 1n],
    ['about no amount', { kind: 'status', reference: 'pi_9', difference: null }, 0n],
  ])('a false alarm: %s', (_, alarm, centsUnexplained) => {
    const judged = score(PLANTED, [...FOUND, alarm]);
    expect(judged).toEqual({ ...BLANK, falseAlarms: [alarm], centsUnexplained });
  });

  test('a break with another amount than was planted: what is too much or too little', () => {
    const [first, , third] = FOUND;
    const wrong = { kind: 'amount', reference: 'pi_1', difference: 4n };
    const judged = score(
      PLANTED,
      [first, third, wrong].flatMap((one) => one ?? []),
    );
    expect(judged).toEqual({ ...BLANK, centsUnexplained: 3n });
  });
});

test('what is printed is read: breaks that are open, by what they differ in', () => {
  const at = '2026-01-31T10:00:00.000Z';
  const printed = {
    breaks: [
      { kind: 'fee', reference: 'pi_1', ours: { amount: '103' }, theirs: { amount: '102' } },
      { kind: 'missing_here', reference: 'pi_2', ours: null, theirs: { amount: '2500' } },
      { kind: 'missing_there', reference: 'pi_3', ours: { amount: '2500' }, theirs: null },
      { kind: 'status', reference: 'pi_4', ours: { status: 'failed' }, theirs: { amount: '5' } },
    ].map((one) => ({ ...one, closed_at: null })),
  };
  const closed = { kind: 'fee', reference: 'pi_5', ours: null, theirs: null, closed_at: at };
  printed.breaks.push(closed as never);
  expect(readBreaks(JSON.stringify(printed))).toEqual([
    { kind: 'fee', reference: 'pi_1', difference: -1n },
    { kind: 'missing_here', reference: 'pi_2', difference: 2500n },
    { kind: 'missing_there', reference: 'pi_3', difference: -2500n },
    { kind: 'status', reference: 'pi_4', difference: null },
  ]);
  const lines = PLANTED.map((one) => `${JSON.stringify(one)}\n`).join('');
  expect(readPlanted(lines)).toEqual(PLANTED);
  expect(() => readPlanted('{"kind":"fee","reference":"pi_1","amount":"1"}\n')).toThrow(/pi_1/);
});
