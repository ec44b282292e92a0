import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { IS_LONG } from '#testing/is-long.js';
import { openBreaks, SettledDay } from './settled-day.js';

/** Each class of break, planted alone beside noise that means nothing: it is seen, and nothing else is. */
let day: SettledDay;

beforeAll(async () => {
  day = await SettledDay.open();
});

afterAll(() => day.close());

beforeEach(() => day.right());

/** Each way alone, and every other way to plant a class, takes `npm test -- --long`. */
const NOISE = ['order', 'spacing', 'crlf', 'bom', 'thousands', 'time_zone'];

test('a report that is right has no breaks', async () => {
  const { exit, result } = await day.reconcile();
  expect(openBreaks(result)).toEqual([]);
  expect(exit).toBe(0);
  const { text } = await day.system.mockClient.get(`/_control/settlement?date=${day.date}`);
  expect(result).toMatchObject({
    date: day.date,
    file_sha256: createHash('sha256').update(text).digest('hex'),
    lines: text.trim().split('\n').length - 1,
    bad_lines: [],
  });
});

test.each([NOISE.join(' '), ...(IS_LONG ? NOISE : [])])('noise is no break: %s', async (noise) => {
  await day.write({ noise: noise.split(' '), seed: 5 });
  const { exit, result } = await day.reconcile();
  expect([openBreaks(result), exit, result?.bad_lines]).toEqual([[], 0, []]);
});

const CLASSES = [
  ['missing_here', 'foreign'],
  ['missing_there', 'line'],
  ['amount', 'cent'],
  ['currency', 'other'],
  ['status', 'failed_later'],
  ['duplicate', 'line'],
  ['fee', 'cent'],
  ['refund', 'unasked'],
  ['timing', 'next_day'],
  ['payout_sum', 'cent'],
];
const OTHER_WAYS = [
  ['missing_here', 'other_account'],
  ['amount', 'sign'],
  ['status', 'charged_after_all'],
  ['duplicate', 'charge'],
  ['refund', 'missing'],
  ['refund', 'amount'],
  ['refund', 'without_charge'],
];

describe('exactly one break, of the class that was planted', () => {
  test.each([...CLASSES, ...(IS_LONG ? OTHER_WAYS : [])])('%s (%s)', async (kind, variant) => {
    const planted = await day.plant(kind, variant);
    await day.write({ noise: NOISE, seed: 7 });
    const { result, exit } = await day.reconcile();
    expect(openBreaks(result)).toEqual([`${kind} ${planted.reference}`]);
    expect(exit).toBe(1);
  });
});

test('a corrected file closes what the one before it had opened', async () => {
  const planted = await day.plant('amount', 'cent');
  expect(openBreaks((await day.reconcile()).result)).toEqual([`amount ${planted.reference}`]);
  await day.right();
  const { exit, result } = await day.reconcile();
  expect([openBreaks(result), exit]).toEqual([[], 0]);
});

test('broken lines are named by their numbers, and the others are compared', async () => {
  const planted = await day.plant('amount', 'cent');
  const { broken_at } = await day.write({ broken_lines: 6, seed: 3 });
  const { result } = await day.reconcile();
  expect(result?.bad_lines.map(({ line }) => line)).toEqual(broken_at);
  expect(openBreaks(result)).toEqual([`amount ${planted.reference}`]);
});

test.each(['truncated', ...(IS_LONG ? ['lines', 'totals', 'sha256'] : [])])(
  'a file that does not fit its summary is not compared: %s',
  async (damage) => {
    await day.plant('amount', 'cent');
    await day.write({ damage });
    expect(await day.reconcile()).toEqual({ exit: 2, result: null });
    await day.right();
    const { exit, result } = await day.reconcile();
    expect([openBreaks(result), exit]).toEqual([[], 0]);
  },
);
