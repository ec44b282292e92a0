import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TAKE_LOCK } from '#reconciliation/import.sql.js';
import { ReportWorld, openOnes } from './report-world.js';

/** A report goes in whole or not at all, once, and the newest file of a day is the one that is believed. */
describe('a report', () => {
  let world: ReportWorld;
  let text: string;
  let charged: string;
  beforeAll(async () => {
    world = await ReportWorld.open();
    const { client } = world.system;
    for (const amount of [123_456, 2_500]) await client.pay({ amount });
    charged = (await client.pay({ currency: 'jpy' })).json.processor.id;
    text = await world.report();
  });
  afterAll(() => world?.close());
  beforeEach(() =>
    world.system.owner.query('TRUNCATE report_imports, report_lines, report_findings'),
  );

  const imports = async () =>
    (
      await world.system.owner.query(
        `SELECT i.file_sha256, i.superseded_at IS NULL AS current, i.lines,
                (SELECT count(*)::int FROM report_lines l WHERE l.import_id = i.id) AS kept
           FROM report_imports i ORDER BY i.imported_at`,
      )
    ).rows;
  const sha256 = (file: string) => createHash('sha256').update(file).digest('hex');

  it('is one import however often it is read, its lines kept as they stood', async () => {
    const file = world.file('report.csv', text);
    const first = await world.reconcile({ file });
    expect(await world.reconcile({ file, date: world.date })).toEqual(first);
    expect(first).toMatchObject({ lines: 3, file_sha256: sha256(text), bad_lines: [], breaks: [] });
    expect(await imports()).toEqual([
      { file_sha256: sha256(text), current: true, lines: 3, kept: 3 },
    ]);
    const { rows } = await world.system.owner.query('SELECT raw FROM report_lines ORDER BY line');
    expect(rows.map(({ raw }) => raw)).toEqual(text.trim().split('\n').slice(1));
  });

  it('gives way to a corrected one, and is believed again when it comes again', async () => {
    const wrong = text.replace('1234.56', '1234.57').replace(/1198\.\d\d/, (net) => plusCent(net));
    expect(wrong).not.toBe(text);
    const [file, corrected] = [world.file('wrong.csv', wrong), world.file('right.csv', text)];
    expect(openOnes(await world.reconcile({ file }))).toEqual([
      expect.stringMatching(/^amount pi_/),
    ]);
    const right = await world.reconcile({ file: corrected });
    expect(openOnes(right)).toEqual([]);
    expect(right.breaks).toMatchObject([{ kind: 'amount', closed_at: expect.any(String) }]);
    expect((await imports()).map(({ current }) => current)).toEqual([false, true]);
    const again = await world.reconcile({ file });
    expect(openOnes(again)).toHaveLength(1);
    expect((await imports()).map(({ current }) => current)).toEqual([true, false]);
    expect(openOnes(await world.reconcile({ file: corrected }))).toEqual([]);
  });

  it('is not kept when it does not fit the summary beside it', async () => {
    const file = world.file('short.csv', text);
    const summary = { lines: 4, sha256: sha256(text), totals: {} };
    writeFileSync(`${file}.summary.json`, JSON.stringify(summary));
    await expect(world.reconcile({ file })).rejects.toThrow(
      'The report is not whole: it has 3 lines, and its summary says 4.',
    );
    expect(await imports()).toEqual([]);
  });

  it.each([
    ['', 'it has no header'],
    ['\uFEFFa,b\n1,2\n', 'balance_transaction_id is not there'],
    ['"balance_transaction_id', 'it is no CSV'],
  ])('is refused as %j: %s', async (content, says) => {
    const file = world.file('no-report.csv', content);
    await expect(world.reconcile({ file })).rejects.toThrow(says);
    expect(await imports()).toEqual([]);
  });

  it('without lines needs a day, and is empty on it', async () => {
    const file = world.file('empty.csv', text.slice(0, text.indexOf('\n') + 1));
    await expect(world.reconcile({ file })).rejects.toThrow('--date must say');
    const { breaks } = await world.reconcile({ file, date: '2020-01-01' });
    expect(breaks).toEqual([]);
  });

  it('is read by one run at a time', async () => {
    const { rows } = await world.system.owner.query(TAKE_LOCK.text, ['mock']);
    expect(rows).toEqual([{ ours: true }]);
    await expect(world.reconcile()).rejects.toThrow('Another reconciliation of mock is running');
    await world.system.owner.query('SELECT pg_advisory_unlock_all()');
    expect((await world.reconcile()).lines).toBe(3);
  });

  it('is not begun by a run that is stopped while it connects', async () => {
    const stopping = new AbortController();
    const run = world.reconcile({ signal: stopping.signal });
    stopping.abort();
    await expect(run).rejects.toThrow('Stopped: nothing half-done was kept.');
    expect(await imports()).toEqual([]);
  });

  it('makes a difference worse with age, and one that a person settled is not opened again', async () => {
    const without = text.split('\n').filter((line) => !line.includes(charged));
    const file = world.file('without.csv', without.join('\n'));
    const seen = await world.reconcile({ file });
    expect(seen.breaks).toMatchObject([
      {
        kind: 'missing_there',
        reference: charged,
        severity: 'warning',
        ours: { amount: '2500', currency: 'jpy' },
        theirs: null,
      },
    ]);
    await world.system.advance(10 * 24 * 3_600_000);
    expect((await world.reconcile({ file })).breaks).toMatchObject([{ severity: 'critical' }]);
    await world.system.owner.query(
      `UPDATE breaks SET status = 'closed', closed_at = payonce_now(), closed_by = 'Ann', reason_code = 'known'`,
    );
    expect(openOnes(await world.reconcile({ file }))).toEqual([]);
  });

  it.each(['asked for', 'approved'])(
    'takes back a write-off that was %s, once it says something else',
    async (how) => {
      const wrongBy = (by: number) =>
        text
          .replace('1234.56', (1_234.56 + by).toFixed(2))
          .replace(/1198\.\d\d/, (net) => (Number(net) + by).toFixed(2));
      const broken = async (by: number) => {
        await world.reconcile({ file: world.file('wrong.csv', wrongBy(by)) });
        const { rows } = await world.system.owner.query(
          `SELECT status, write_off_asked_by, reason_code FROM breaks WHERE kind = 'amount'`,
        );
        return rows;
      };
      await world.system.owner.query('DELETE FROM breaks');
      expect(await broken(0.01)).toMatchObject([{ status: 'open', write_off_asked_by: null }]);
      await world.system.owner.query(
        how === 'approved'
          ? `UPDATE breaks SET write_off_asked_by = 'Ann', reason_code = 'small', status = 'closed',
                    closed_by = 'Ben', closed_at = payonce_now() WHERE kind = 'amount'`
          : `UPDATE breaks SET write_off_asked_by = 'Ann', reason_code = 'small' WHERE kind = 'amount'`,
      );
      expect(await broken(0.01), 'as it was seen').toEqual([
        {
          status: how === 'approved' ? 'closed' : 'open',
          write_off_asked_by: 'Ann',
          reason_code: 'small',
        },
      ]);
      expect(await broken(900), 'two people have to see this one').toEqual([
        { status: 'open', write_off_asked_by: null, reason_code: null },
      ]);
    },
  );
});

function plusCent(net: string): string {
  return (Number(net) + 0.01).toFixed(2);
}
