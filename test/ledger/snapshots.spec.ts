import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linkEntries } from '#ledger/link-entries.js';
import { BLOCK } from '#ledger/snapshots.sql.js';
import { newSnapshotWalk, takeSnapshots } from '#ledger/take-snapshots.js';
import type { Db } from '#postgres/db.js';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';
import { seeded } from '../../ops/seeded.js';

const FROM_MS = Date.UTC(2026, 0, 1);
const SPAN_MS = 1_000_000;
const KINDS = [
  ['capture', 'processor_clearing', 'merchant_payable'],
  ['refund', 'merchant_payable', 'processor_clearing'],
  ['payout', 'bank', 'processor_clearing'],
  ['dispute', 'merchant_payable', 'processor_clearing'],
] as const;
const LINES = ['merchant_payable', 'processor_clearing', 'refunds', 'bank'];

describe('balance snapshots', () => {
  let system: System;
  let db: Db;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    ({ db } = system.core.deps);
  });
  afterAll(() => system.close());
  /** Then each test makes those of its own account only. */
  afterEach(async () => void (await take()));

  const rows = async (sql: string, values: unknown[] = []): Promise<any[]> =>
    (await system.owner.query(sql, values)).rows;
  const blocks = async (account: string) =>
    (
      await rows(
        'SELECT DISTINCT number::int FROM ledger_snapshots WHERE account_id = $1 ORDER BY number',
        [account],
      )
    ).map(({ number }) => number);

  /** An account with a payment, on which anything can be booked. */
  async function newBooks(seed: number) {
    const client = await system.newClient();
    const { json: payment } = await client.pay({ amount: 2500, currency: 'myr' });
    const [{ account_id: account }] = await rows('SELECT account_id FROM payments WHERE id = $1', [
      payment.id,
    ]);
    const random = seeded(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const instant = () => new Date(FROM_MS + Math.floor(random() * SPAN_MS)).toISOString();
    /** In transactions of one to three hundred entries. */
    async function book(count: number, amount = () => 1 + Math.floor(random() * 1e6)) {
      for (let left = count; left > 0;) {
        const size = Math.min(left, 1 + Math.floor(random() * 300));
        left -= size;
        const base = FROM_MS + (1 - left / count) * SPAN_MS * 0.9;
        const entries = Array.from({ length: size }, () => {
          const [kind, debit, credit] = pick(KINDS);
          const recorded = random() < 0.1 ? instant() : new Date(base + random() * 9e4);
          return [kind, debit, credit, amount(), pick(['myr', 'myr', 'usd']), instant(), recorded];
        });
        await rows(
          `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account,
                                       amount, currency, effective_at, recorded_at)
           SELECT $1, $2, payonce_uuid_v7(), e.*
             FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::timestamptz[],
                         $9::timestamptz[]) AS e`,
          [account, payment.id, ...[0, 1, 2, 3, 4, 5, 6].map((at) => entries.map((e) => e[at]))],
        );
      }
    }
    return { client, account, payment, random, pick, instant, book };
  }

  /** All that can be linked is: then a statement reads every entry, and each block is final. */
  async function link(account: string) {
    await until(async () => {
      await linkEntries(db);
      const [{ waiting }] = await rows(
        `SELECT (SELECT count(*) FROM ledger_entries WHERE account_id = $1)
                - (SELECT count(*) FROM ledger_chain WHERE account_id = $1) AS waiting`,
        [account],
      );
      return waiting === '0';
    });
  }
  async function take(walk = newSnapshotWalk()) {
    let taken = 0;
    for (let more = true; more;) {
      const pass = await takeSnapshots(db, walk);
      ({ more } = pass);
      taken += pass.taken;
    }
    return taken;
  }
  const read = async (client: ApiClient, path: string): Promise<any> => {
    const { status, json, text } = await client.get(`/v1/ledger/${path}`);
    expect(status, text).toBe(200);
    return { path, data: json.data, next: json.next };
  };
  const readAll = async (client: ApiClient, paths: string[]) => {
    const answers = [];
    for (const path of paths) answers.push(await read(client, path));
    return answers;
  };

  it('change no balance and no statement, whichever of them are there', async () => {
    const { client, account, random, pick, instant: anyInstant, book } = await newBooks(7);
    await book(3 * BLOCK);
    await link(account);
    expect(await take()).toBe(3);
    await book(50);
    await link(account);
    expect(await blocks(account)).toEqual([BLOCK, 2 * BLOCK, 3 * BLOCK]);
    const [{ ids }] = await rows(
      'SELECT array_agg(id) AS ids FROM ledger_entries WHERE account_id = $1',
      [account],
    );
    // Any instant, or the very one at which a block begins or ends.
    const instants = await rows(
      `SELECT unnest(ARRAY[recorded_from, recorded_to, effective_from, effective_to]) AS at
         FROM ledger_snapshots WHERE account_id = $1`,
      [account],
    );
    const when = () => (random() < 0.5 ? anyInstant() : pick(instants).at.toISOString());
    const balance = () => `trial-balance?basis=${pick(['effective', 'recorded'])}&as_of=${when()}`;
    const statement = () =>
      [
        `accounts/${pick(LINES)}/statement?limit=${pick([1, 20, 100])}`,
        ...(random() < 0.6 ? [`after=${pick<string>(ids)}`] : []),
        ...(random() < 0.4 ? [`created_after=${when()}`] : []),
        ...(random() < 0.4 ? [`created_before=${when()}`] : []),
        ...(random() < 0.3 ? [`currency=${pick(['usd', 'myr', 'jpy'])}`] : []),
      ].join('&');
    const many = (path: () => string) => Array.from({ length: 25 }, path);
    const paths = ['trial-balance', ...many(balance), ...many(statement)];
    const withAll = await readAll(client, paths);
    await rows(
      `DELETE FROM ledger_snapshots WHERE number = $1 AND entry_kind = 'refund' AND currency = 'usd'`,
      [2 * BLOCK],
    );
    expect(await readAll(client, paths)).toEqual(withAll);
    await rows('TRUNCATE ledger_snapshots');
    expect(await readAll(client, paths)).toEqual(withAll);
    expect(withAll.filter(({ data }) => data.length > 0).length).toBeGreaterThan(30);
  });

  it('are read: what they say is in the answer', async () => {
    const { client, account, book, payment } = await newBooks(1);
    await book(BLOCK - 2);
    await link(account);
    await take();
    const before = await read(client, 'trial-balance');
    const page = await read(client, `accounts/bank/statement?limit=1&created_after=${END}`);
    await rows(
      `WITH gone AS (DELETE FROM ledger_snapshots
                      WHERE account_id = $1 AND entry_kind = 'payout' AND currency = 'usd' RETURNING *)
       INSERT INTO ledger_snapshots
       SELECT r.* FROM gone, jsonb_populate_record(NULL::ledger_snapshots,
                               to_jsonb(gone) || jsonb_build_object('amount', gone.amount + 1)) AS r`,
      [account],
    );
    expect(await read(client, 'trial-balance')).not.toEqual(before);
    expect(page.data).toEqual([]);
    await rows(
      `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount,
                                   currency, effective_at)
       VALUES ($1, $2, payonce_uuid_v7(), 'payout', 'bank', 'processor_clearing', 1, 'usd', payonce_now())`,
      [account, payment.id],
    );
    const [{ booked }] = await rows(
      `SELECT sum(amount)::text AS booked FROM ledger_entries
        WHERE account_id = $1 AND entry_kind = 'payout' AND currency = 'usd'`,
      [account],
    );
    const last = async () =>
      (await read(client, `accounts/bank/statement?created_after=${END}`)).data;
    await until(async () => (await last()).length === 1);
    expect(await last()).toMatchObject([{ balance: String(BigInt(booked) + 1n) }]);
  });

  it('of another server are not believed, and this one makes its own', async () => {
    const { client, account, book } = await newBooks(2);
    await book(BLOCK);
    await link(account);
    await take();
    const before = await read(client, 'trial-balance');
    await rows(
      `WITH gone AS (DELETE FROM ledger_snapshots WHERE account_id = $1 RETURNING *)
       INSERT INTO ledger_snapshots
       SELECT r.* FROM gone, jsonb_populate_record(NULL::ledger_snapshots,
                               to_jsonb(gone) || jsonb_build_object('amount', 1, 'server', gone.server + 1)) AS r`,
      [account],
    );
    expect(await read(client, 'trial-balance')).toEqual(before);
    expect(await take()).toBe(1);
    expect(await read(client, 'trial-balance')).toEqual(before);
  });

  it('are made once by any number of workers, and again when they are gone', async () => {
    const { account, book } = await newBooks(3);
    await book(2 * BLOCK);
    await link(account);
    const walk = newSnapshotWalk();
    const taken = await Promise.all([take(walk), take(), take()]);
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(2);
    const whole = () =>
      rows('SELECT * FROM ledger_snapshots WHERE account_id = $1 ORDER BY 1, 3, 4, 5', [account]);
    const first = await whole();
    expect(await take(walk)).toBe(0);
    await rows(
      `DELETE FROM ledger_snapshots WHERE account_id = $1 AND entry_kind = 'refund' AND number = $2`,
      [account, BLOCK],
    );
    expect(await take(walk)).toBe(1);
    expect(await whole()).toEqual(first);
    await rows('TRUNCATE ledger_snapshots');
    expect(await whole()).toEqual([]);
    await take(walk);
    expect(await whole()).toEqual(first);
  });

  it('refuse to be changed', async () => {
    const { account, book } = await newBooks(4);
    await book(BLOCK);
    await link(account);
    await take();
    await expect(rows('UPDATE ledger_snapshots SET amount = 0')).rejects.toThrow(/ledger_/);
  });

  it('are not made of a block that an entry was put into, or that sums up to too much', async () => {
    const inserted = await newBooks(5);
    await inserted.book(2 * BLOCK);
    await link(inserted.account);
    await rows(
      `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount,
                                   currency, effective_at, recorded_xid)
       SELECT account_id, payment_id, payonce_uuid_v7(), 'payout', 'bank', 'processor_clearing', 7, 'usd', effective_at,
              recorded_xid
         FROM ledger_entries WHERE account_id = $1 ORDER BY recorded_xid, id OFFSET 100 LIMIT 1`,
      [inserted.account],
    );
    const huge = await newBooks(6);
    await huge.book(BLOCK, () => 2 ** 53);
    await link(huge.account);
    const before = [
      await read(inserted.client, 'trial-balance'),
      await read(huge.client, 'trial-balance'),
    ];
    const walk = newSnapshotWalk();
    expect(await take(walk)).toBe(1);
    expect(await blocks(inserted.account), 'the one behind it').toEqual([2 * BLOCK]);
    expect(await takeSnapshots(db, walk)).toEqual({ taken: 0, more: false });
    expect([
      await read(inserted.client, 'trial-balance'),
      await read(huge.client, 'trial-balance'),
    ]).toEqual(before);
  });
});

/** Behind everything that a test books with a time. */
const END = new Date(FROM_MS + SPAN_MS).toISOString();
