import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database.js';
import { paymentsFor } from './big-day.js';
import { writeBigDay, type BigReport } from './big-day-file.js';
import { plantBigDay } from './reconciliation.js';

/** The report of a big day and our rows of it are made apart: what was planted is all that they differ in. */
const ACCOUNT = '00000000-0000-4000-8000-000000000001';
const PAYMENTS = paymentsFor(1_700);
const folder = mkdtempSync(join(tmpdir(), 'big-day-'));
const file = join(folder, 'day.csv');
let database: TestDatabase;
let owner: pg.Client;
let report: BigReport;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await plantBigDay(database.url, ACCOUNT, PAYMENTS);
  report = await writeBigDay(file, { accountId: ACCOUNT, payments: PAYMENTS, each: 2 });
});

afterAll(async () => {
  await owner.end();
  await database.drop();
  rmSync(folder, { recursive: true });
});

test('without what was planted, each line has its row and each row its line', async () => {
  const wrong = new Set(report.planted.map(({ reference }) => reference));
  const said = lines()
    .filter(({ category, references }) => {
      return category !== 'payout' && !references.some((reference) => wrong.has(reference));
    })
    .map(({ row }) => row);
  const { rows } = await owner.query<{ row: string; reference: string; intent: string }>(ROWS);
  const ours = rows.filter(({ reference, intent }) => !wrong.has(reference) && !wrong.has(intent));
  expect(said.length).toBeGreaterThan(1_500);
  expect(said.toSorted(byText)).toEqual(ours.map(({ row }) => row).toSorted(byText));
});

test('every kind is planted, each reference once', () => {
  const names = report.planted.map(({ kind, reference }) => `${kind} ${reference}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(2 * 14 + 1);
  const kinds = new Set(report.planted.map(({ kind }) => kind));
  expect([...kinds].toSorted(byText)).toEqual(
    'amount currency duplicate fee missing_here missing_there payout_sum refund status timing'.split(
      ' ',
    ),
  );
});

test('the summary tells what the file comes to', () => {
  const summary = JSON.parse(readFileSync(`${file}.summary.json`, 'utf8'));
  expect(summary.lines).toBe(report.lines);
  expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(report.lines + 1);
  expect(report.brokenLines).toBe(3);
  const nets = Object.values<{ net: string }>(summary.totals).map(({ net }) => Number(net));
  expect(nets.filter((net) => net !== 0)).toHaveLength(1);
});

/** What the processor should have printed of each of our movements, fees in minor units. */
const ROWS = `
  WITH movement AS (
    SELECT e.*, p.processor_id AS intent,
           CASE e.entry_kind WHEN 'capture' THEN 'charge' ELSE e.entry_kind END AS category,
           CASE WHEN e.entry_kind IN ('charge', 'capture') THEN e.amount ELSE -e.amount END AS gross,
           coalesce(r.processor_id, d.processor_id, p.processor_id) AS reference,
           CASE WHEN e.entry_kind IN ('charge', 'capture')
                THEN coalesce((SELECT f.amount FROM ledger_entries f
                                WHERE f.account_id = e.account_id AND f.payment_id = e.payment_id
                                  AND f.entry_kind = 'processor_fee'), 0)
                WHEN e.entry_kind = 'dispute' THEN 1500 ELSE 0 END AS fee,
           o.processor_key
      FROM ledger_entries e
      JOIN payments p ON p.account_id = e.account_id AND p.id = e.payment_id
      JOIN operations o ON o.account_id = e.account_id AND o.payment_id = e.payment_id AND o.kind = 'charge'
      LEFT JOIN refunds r ON e.entry_kind = 'refund' AND r.account_id = e.account_id AND r.id = e.source_id
      LEFT JOIN disputes d ON e.entry_kind = 'dispute' AND d.account_id = e.account_id AND d.id = e.source_id
     WHERE e.entry_kind <> 'processor_fee')
  SELECT concat_ws(' ', category, intent, reference, currency, gross, fee, processor_key,
                   to_char(effective_at AT TIME ZONE 'UTC', 'HH24:MI:SS')) AS row,
         reference, intent
    FROM movement`;

const DECIMALS: Record<string, number> = { jpy: 0, krw: 0, kwd: 3 };

function lines() {
  const [, ...rows] = readFileSync(file, 'utf8').trimEnd().split('\r\n');
  return rows
    .filter((row) => !row.startsWith('txn_broken'))
    .map((row) => {
      const cells = [...row.matchAll(/(?:^|,)("[^"]*"|[^,]*)/g)].map(([, cell = '']) => cell);
      const [, created = '', , currency = '', gross = '', fee = '', , category = ''] = cells;
      const [, , , , , , , , source = '', , intent = '', , , key = ''] = cells;
      const minor = (text: string) =>
        Math.round(Number(text.replaceAll(/[",]/g, '')) * 10 ** (DECIMALS[currency] ?? 2));
      const reference = category === 'charge' ? intent : source;
      const said = [category, intent, reference, currency, minor(gross), minor(fee), key];
      return {
        category,
        references: [reference, intent],
        row: [...said, created.slice(11)].join(' '),
      };
    });
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
