import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, NEXT_DAY, SettlementWorld, type ReportLine } from './settlement-world.js';

/** What a report says wrongly on request: what it changes, and that everything else stays as it was. */
let world: SettlementWorld;
let paid: string[];
let refund: string;

beforeEach(async () => {
  world = await SettlementWorld.open();
  paid = [];
  for (let n = 1; n <= 6; n += 1) paid.push(await world.charged(`intent-${n}`));
  refund = await world.refunded(paid[0] ?? '', 700);
  await world.client.charge('pm_card_chargeDeclined', { intent: 'intent-7' });
  world.at(`${NEXT_DAY}T10:00:00Z`);
});

afterEach(() => world.close());

const plant = async (kind: string, more: Record<string, unknown> = {}) =>
  (await world.client.control('POST', 'anomalies', { date: DAY, kind, ...more })).json;

const planted = async (date = DAY) =>
  (await world.client.get(`/_control/anomalies?date=${date}`)).text;

/** What stands in one of two reports and not in the other, payouts aside; as often as it does. */
async function changes(before: ReportLine[], date = DAY) {
  const seen = (lines: ReportLine[]) =>
    lines
      .filter((line) => line['reporting_category'] !== 'payout')
      .map((line) => JSON.stringify(line));
  const [old, now] = [seen(before), seen(await world.lines(date))];
  const without = (from: string[], taken: string[]) => {
    const left = [...taken];
    return from.filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  const parsed = (lines: string[]) => lines.map((line) => JSON.parse(line) as ReportLine);
  return { gone: parsed(without(old, now)), come: parsed(without(now, old)) };
}

const ID = { pi: /^pi_/, re: /^re_/, po: /^po_/ };

/** The columns that an anomaly changes in the line that it is planted on. */
const CHANGED: Record<string, string[]> = {
  amount: ['gross', 'net'],
  currency: ['automatic_payout_id', 'currency'],
  fee: ['fee', 'net'],
  timing: ['available_on_utc', 'created_utc'],
};

describe('planting', () => {
  test.each([
    ['missing_here', 'foreign', 0, 1, ID.pi],
    ['missing_here', 'other_account', 0, 1, ID.pi],
    ['missing_there', 'line', 1, 0, ID.pi],
    ['amount', 'cent', 1, 1, ID.pi],
    ['amount', 'sign', 1, 1, ID.pi],
    ['currency', 'other', 1, 1, ID.pi],
    ['status', 'failed_later', 0, 1, ID.pi],
    ['status', 'charged_after_all', 0, 1, ID.pi],
    ['duplicate', 'line', 0, 1, ID.pi],
    ['duplicate', 'charge', 0, 1, ID.pi],
    ['fee', 'cent', 1, 1, ID.pi],
    ['refund', 'unasked', 0, 1, ID.re],
    ['refund', 'missing', 1, 0, ID.re],
    ['refund', 'amount', 1, 1, ID.re],
    ['refund', 'without_charge', 0, 1, ID.re],
    ['timing', 'next_day', 1, 1, ID.pi],
    ['timing', 'next_report', 1, 0, ID.pi],
    ['payout_sum', 'cent', 0, 0, ID.po],
  ])(
    '%s (%s) takes %i lines and adds %i, about what it names',
    async (kind, variant, taken, added, id) => {
      const before = await world.lines();
      const answer = await plant(kind, { variant, count: 1, seed: 7 });
      expect(answer).toMatchObject({ date: DAY, kind, variant, count: 1, seed: 7 });
      const [only] = answer.planted;
      expect(only.reference).toMatch(id);
      expect(await planted()).toBe(
        `${JSON.stringify({ kind, reference: only.reference, amount: only.amount })}\n`,
      );
      const { gone, come } = await changes(before);
      expect([gone.length, come.length]).toEqual([taken, added]);
      for (const line of [...gone, ...come]) {
        const names = [line['payment_intent_id'], line['source_id']];
        expect(names).toContain(only.reference);
      }
    },
  );

  test('changes what its kind is about and nothing else', async () => {
    const cases: [string, string, (line: ReportLine) => string | undefined][] = [
      ['amount', 'cent', (line) => line['gross']],
      ['currency', 'other', (line) => line['currency']],
      ['fee', 'cent', (line) => line['fee']],
      ['timing', 'next_day', (line) => line['created_utc']?.slice(0, 10)],
    ];
    const said = [];
    for (const [kind, variant, part] of cases) {
      const before = await world.lines();
      await plant(kind, { variant, seed: 3 });
      const { gone, come } = await changes(before);
      said.push([kind, gone.map(part), come.map(part)]);
      const [old = {}, now = {}] = [gone[0], come[0]];
      const differing = Object.keys(old).filter((column) => old[column] !== now[column]);
      expect(differing.toSorted()).toEqual(CHANGED[kind]);
      await world.client.send('DELETE', `/_control/anomalies?date=${DAY}`);
    }
    expect(said).toEqual([
      ['amount', ['25.00'], [expect.stringMatching(/^2(4\.99|5\.01)$/)]],
      ['currency', ['myr'], [expect.not.stringMatching(/^myr$/)]],
      ['fee', ['1.03'], [expect.stringMatching(/^1\.0[24]$/)]],
      ['timing', [DAY], [NEXT_DAY]],
    ]);
  });

  test('is of another payment each time, of ours, about which nothing else is booked', async () => {
    await plant('missing_there', { count: 3 });
    await plant('amount', { count: 2 });
    const references = (await planted())
      .trim()
      .split('\n')
      .map((line): string => JSON.parse(line).reference);
    expect(new Set(references)).toEqual(new Set(paid.slice(1)));
    expect(references).toHaveLength(5);
    const { status, json } = await world.client.control('POST', 'anomalies', {
      date: DAY,
      kind: 'fee',
    });
    expect([status, json.error.param]).toEqual([400, 'count']);
  });

  test('once more what stands already changes nothing; another seed or count is another order', async () => {
    const order = { count: 2, seed: 5 };
    const first = await plant('missing_here', order);
    const [text, list] = [(await world.report()).text, await planted()];
    expect(await plant('missing_here', order)).toEqual(first);
    await world.stop();
    await world.start();
    expect(await plant('missing_here', order)).toEqual(first);
    expect([(await world.report()).text, await planted()]).toEqual([text, list]);
    await plant('missing_here', { ...order, seed: 6 });
    await plant('missing_here', { ...order, count: 3 });
    const references = (await planted()).trim().split('\n');
    expect(new Set(references).size).toBe(7);
  });

  test('of the same seed chooses the same, of another mostly not', async () => {
    const chosen = async (seed: number) => {
      const answer = await plant('missing_there', { count: 2, seed });
      await world.client.send('DELETE', `/_control/anomalies?date=${DAY}`);
      return answer.planted;
    };
    const first = await chosen(1);
    expect(await chosen(1)).toEqual(first);
    const others = [await chosen(2), await chosen(3), await chosen(4)];
    expect(others).not.toEqual([first, first, first]);
  });

  test('keeps lines, payouts and summary true to each other', async () => {
    for (const kind of [
      'missing_here',
      'missing_there',
      'amount',
      'currency',
      'duplicate',
      'fee',
    ]) {
      await plant(kind);
    }
    const { text } = await world.report();
    const lines = await world.lines();
    for (const currency of new Set(lines.map((line) => line['currency']))) {
      const nets = lines.filter((line) => line['currency'] === currency).map((line) => line['net']);
      expect(nets.reduce((sum, net) => sum + Math.round(Number(net) * 1000), 0)).toBe(0);
    }
    const summary = (await world.report(DAY, '&part=summary')).json;
    expect(summary).toMatchObject({
      lines: lines.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect(summary.totals.myr.net).toBe('0.00');
  });

  test('a payout that is off is so by a minor unit, and the summary tells it as printed', async () => {
    const payoutOf = async () =>
      (await world.lines()).find((line) => line['reporting_category'] === 'payout');
    const before = await payoutOf();
    const [{ reference, amount }] = (await plant('payout_sum')).planted;
    const after = await payoutOf();
    expect(reference).toBe(after?.['source_id']);
    const cents = (line: ReportLine | undefined) => Math.round(Number(line?.['gross']) * 100);
    expect(cents(after) - cents(before)).toBe(amount);
    expect(Math.abs(amount)).toBe(1);
    const { totals } = (await world.report(DAY, '&part=summary')).json;
    expect(Math.round(Number(totals.myr.net) * 100)).toBe(amount);
    expect(await plant('payout_sum', { seed: 2 })).toMatchObject({ error: { param: 'count' } });
  });

  test('a line that is late stands in the report of the day after', async () => {
    const next = await world.lines(NEXT_DAY);
    const [{ reference }] = (await plant('timing', { variant: 'next_report' })).planted;
    const { come } = await changes(next, NEXT_DAY);
    expect(
      come.map((line) => [line['payment_intent_id'], line['created_utc']?.slice(0, 10)]),
    ).toEqual([[reference, NEXT_DAY]]);
  });
});

test('what is taken back leaves the report as if it had never been: a corrected file', async () => {
  const { text } = await world.report();
  await plant('missing_there');
  await plant('amount');
  await plant('refund', { variant: 'missing' });
  const uproot = async (more: string) =>
    (await world.client.send('DELETE', `/_control/anomalies?date=${DAY}${more}`)).json;
  expect(await uproot('&kind=amount')).toEqual({ date: DAY, taken_back: 1 });
  expect((await planted()).match(/"kind":"\w+"/g)).toEqual([
    '"kind":"missing_there"',
    '"kind":"refund"',
  ]);
  expect((await world.report()).text).not.toBe(text);
  expect(await uproot('')).toEqual({ date: DAY, taken_back: 2 });
  expect((await world.report()).text).toBe(text);
  expect([await planted(), refund]).toEqual(['', expect.stringMatching(ID.re)]);
  await plant('amount');
  expect(await planted()).not.toBe('');
});

test.each([
  [{ kind: 'amount' }, 'date'],
  [{ date: DAY }, 'kind'],
  [{ date: DAY, kind: 'loss' }, 'kind'],
  [{ date: DAY, kind: 'amount', variant: 'line' }, 'variant'],
  [{ date: DAY, kind: 'amount', count: 0 }, 'count'],
  [{ date: DAY, kind: 'amount', count: 10_001 }, 'count'],
  [{ date: DAY, kind: 'amount', seed: -1 }, 'seed'],
  [{ date: DAY, kind: 'amount', more: 1 }, 'more'],
  [{ date: '2026-02-02', kind: 'amount' }, 'date'],
  [{ date: NEXT_DAY, kind: 'payout_sum' }, 'date'],
])('%j is refused and plants nothing', async (body, param) => {
  const { status, json } = await world.client.control('POST', 'anomalies', body);
  expect([status, json.error.param]).toEqual([400, param]);
  expect(await planted()).toBe('');
});
