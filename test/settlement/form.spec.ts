import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, NEXT_DAY, readReport, SettlementWorld, type ReportLine } from './settlement-world.js';

/** How a report is written on request: noise that changes nothing, broken lines, a damaged file. */
let world: SettlementWorld;

beforeEach(async () => {
  world = await SettlementWorld.open();
  for (let n = 1; n <= 4; n += 1) {
    await world.charged(`intent-${n}`, { amount: String(n * 12_345) });
  }
  await world.charged('intent-jpy', { amount: '1234567', currency: 'jpy' });
  world.at(`${NEXT_DAY}T10:00:00Z`);
});

afterEach(() => world.close());

const write = async (form: Record<string, unknown>) =>
  (await world.client.control('PUT', 'settlement/form', { date: DAY, ...form })).json;

const report = async () => {
  const response = await fetch(`${world.client.url}/_control/settlement?date=${DAY}`);
  return Buffer.from(await response.arrayBuffer()).toString('utf8');
};

const summary = async () => (await world.report(DAY, '&part=summary')).json;

/** What a reader sees who minds none of the noise. */
function meant(text: string): ReportLine[] {
  const lines = readReport(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
  const tidy = (name: string, cell: string) => {
    if (/^(gross|fee|net)$/.test(name)) return cell.trim().replaceAll(',', '');
    if (!name.endsWith('_utc') || !cell.includes('+')) return cell.trim();
    return new Date(cell.trim()).toISOString().slice(0, 19).replace('T', ' ');
  };
  return lines
    .map((line) =>
      Object.fromEntries(Object.entries(line).map(([name, cell]) => [name, tidy(name, cell)])),
    )
    .toSorted((a, b) => ((a['source_id'] ?? '') < (b['source_id'] ?? '') ? -1 : 1));
}

describe('noise', () => {
  test.each([
    ['order', /^balance_transaction_id(?![^]*\npo_)/],
    ['spacing', /,[ \t]+\S|\S[ \t]+,/],
    ['crlf', /^[^\n]*\r\n(?:[^\n]*\r\n)+$/],
    ['bom', /^\uFEFFbalance_transaction_id/],
    ['thousands', /"12,345\.67"|,"1,234,567",/],
    ['time_zone', /,2026-01-31T18:00:00\+08:00,/],
  ])('%s changes the bytes and not what they mean', async (noise, mark) => {
    const before = await report();
    expect(before).not.toMatch(noise === 'order' ? /^$/ : mark);
    expect(await write({ noise: [noise], seed: 3 })).toMatchObject({ noise: [noise], seed: 3 });
    const text = await report();
    expect(text).toMatch(mark);
    expect(text).not.toBe(before);
    expect(meant(text)).toEqual(meant(before));
    expect((await summary()).sha256).toBe(createHash('sha256').update(text).digest('hex'));
  });

  test('of all kinds at once is the same bytes each time, until it is taken back', async () => {
    const before = await report();
    await write({
      noise: ['order', 'spacing', 'crlf', 'bom', 'thousands', 'time_zone'],
      broken_lines: 2,
    });
    const text = await report();
    await world.stop();
    await world.start();
    expect(await report()).toBe(text);
    await world.client.send('DELETE', `/_control/settlement/form?date=${DAY}`);
    expect(await report()).toBe(before);
  });
});

test('broken lines stand where the form says, count as lines and add to no total', async () => {
  const [before, { lines, totals }] = [await report(), await summary()];
  const { broken_at } = await write({ broken_lines: 7, seed: 9 });
  const rows = (await report()).split('\n');
  const found = rows.flatMap((row, at) => (row.startsWith('txn_broken_') ? [at + 1] : []));
  expect(broken_at).toEqual(found);
  expect(found).toHaveLength(7);
  expect(rows.filter((row) => !row.startsWith('txn_broken_')).join('\n')).toBe(before);
  expect(await summary()).toMatchObject({ lines: lines + 7, totals });
  expect((await world.client.get(`/_control/settlement/form?date=${DAY}`)).json).toEqual({
    date: DAY,
    noise: [],
    broken_lines: 7,
    damage: null,
    seed: 9,
    broken_at,
  });
});

describe('damage', () => {
  test('truncated cuts the last line in its middle, and the summary is of the whole', async () => {
    const [before, whole] = [await report(), await summary()];
    await write({ damage: 'truncated' });
    const text = await report();
    expect(before.startsWith(text)).toBe(true);
    expect(text.split('\n').length).toBe(before.split('\n').length - 1);
    expect(text.endsWith('\n')).toBe(false);
    expect(await summary()).toEqual(whole);
  });

  test.each(['lines', 'totals', 'sha256'])('of %s is in the summary alone', async (damage) => {
    const [before, whole] = [await report(), await summary()];
    await write({ damage });
    expect(await report()).toBe(before);
    const damaged = await summary();
    const differing = Object.keys(whole).filter(
      (name) => JSON.stringify(whole[name]) !== JSON.stringify(damaged[name]),
    );
    expect(differing).toEqual([damage]);
  });
});

test.each([
  [{ date: undefined }, 'date'],
  [{ noise: 'bom' }, 'noise'],
  [{ noise: ['hum'] }, 'noise'],
  [{ noise: ['bom', 'bom'] }, 'noise'],
  [{ broken_lines: -1 }, 'broken_lines'],
  [{ broken_lines: 1_001 }, 'broken_lines'],
  [{ damage: 'fire' }, 'damage'],
  [{ seed: 0.5 }, 'seed'],
  [{ more: 1 }, 'more'],
])('%j is refused and changes nothing', async (form, param) => {
  const before = await report();
  expect(await write(form)).toMatchObject({ error: { param } });
  expect(await report()).toBe(before);
});
