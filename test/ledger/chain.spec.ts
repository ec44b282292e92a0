import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { linkEntries } from '#ledger/link-entries.js';
import { signCheckpoints } from '#ledger/sign-checkpoints.js';
import { isSignedBy } from '#ledger/signing-keys.js';
import type { Db } from '#postgres/db.js';
import { Sessions } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';

const BOOK = `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account,
                                          amount, currency, effective_at)
              SELECT account_id, id, payonce_random_uuid(), 'capture', 'processor_clearing', 'merchant_payable', $2,
                     currency, payonce_now()
                FROM payments WHERE id = $1
              RETURNING id`;

describe('the chain over the ledger', () => {
  const sessions = new Sessions();
  let system: System;
  let db: Db;
  /** Links that were there before the test. */
  let base: any[];
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    ({ db } = system.core.deps);
  });
  beforeEach(async () => void (base = await chain()));
  afterEach(() => sessions.close());
  afterAll(() => system.close());

  const rows = async (sql: string, values: unknown[] = []): Promise<any[]> =>
    (await system.owner.query(sql, values)).rows;
  const chain = () => rows('SELECT * FROM ledger_chain ORDER BY shard, sequence');
  const fresh = async () =>
    (await chain()).filter(({ hash }) => !base.some((link) => link.hash.equals(hash)));
  const unlinked = () =>
    rows(`SELECT entry_kind FROM ledger_entries e
           WHERE NOT EXISTS (SELECT 1 FROM ledger_chain c WHERE c.account_id = e.account_id AND c.entry_id = e.id)`);
  /** Waits for what neighbours on this server have begun: it holds the chain of every database back. */
  const linked = async (count: number) => {
    await until(async () => {
      await linkEntries(db);
      return (await fresh()).length >= count;
    });
    expect((await fresh()).length).toBe(count);
  };
  const pay = async (client = system.client) => expect((await client.pay()).status).toBe(201);

  it('links each entry once, in the order of transactions, numbered within shard and account', async () => {
    const others = [await system.newClient(), await system.newClient(), await system.newClient()];
    for (const client of [system.client, ...others, system.client]) await pay(client);
    await linked(10);
    expect(await linkEntries(db)).toMatchObject({ linked: 0, more: false });
    const links = await chain();
    for (const by of ['shard', 'account_id']) {
      const name = by === 'shard' ? 'sequence' : 'number';
      for (const value of new Set(links.map((link) => link[by]))) {
        const mine = links.filter((link) => link[by] === value).map((link) => Number(link[name]));
        expect(mine).toEqual(mine.map((_, at) => at + 1));
      }
    }
    const ordered = await rows(`SELECT c.entry_id FROM ledger_chain c
        JOIN ledger_entries e ON e.account_id = c.account_id AND e.id = c.entry_id
       ORDER BY c.shard, e.recorded_xid, e.account_id, e.id`);
    expect(links.map(({ entry_id: id }) => id)).toEqual(ordered.map(({ entry_id: id }) => id));
  });

  it('hashes what was before and every column, instants as microseconds, as anybody can compute', async () => {
    await pay();
    await linked(2);
    const [first, second] = await fresh();
    const [before] = await rows(
      'SELECT hash FROM ledger_chain WHERE shard = $1 AND sequence = $2::bigint - 1',
      [first.shard, first.sequence],
    );
    const own = async (link: any, previous: Buffer) => {
      const [entry] = await rows(
        `SELECT *, effective_at::text AS effective, recorded_at::text AS recorded FROM ledger_entries WHERE id = $1`,
        [link.entry_id],
      );
      return sha256(previous, contentOf(link, entry));
    };
    expect(first.hash.equals(await own(first, before?.hash ?? Buffer.alloc(32)))).toBe(true);
    expect(second.hash.equals(await own(second, first.hash))).toBe(true);
  });

  it('never takes what a transaction that still runs could stand before', async () => {
    const slow = await sessions.open(system.database.appUrl);
    await slow.query('SET idle_in_transaction_session_timeout = 0');
    await slow.query('BEGIN');
    await pay();
    await slow.query(`UPDATE sweep_marks SET mark = mark`); // from here on it has an id
    await pay();
    const [{ payment_id: id }] = await rows(
      'SELECT payment_id FROM ledger_entries ORDER BY id DESC',
    );
    await slow.query(
      `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account,
                                   amount, currency, effective_at)
       VALUES ($1, $2, $2, 'payout', 'bank', 'processor_clearing', 1, 'myr', payonce_now())`,
      [system.account.id, id],
    );
    await linked(2);
    await slow.query('COMMIT');
    await linked(5);
    // It had begun before the second payment was booked, and so it stands in front of it.
    const [, , third] = await fresh();
    const sql = 'SELECT entry_kind FROM ledger_entries WHERE id = $1';
    expect(await rows(sql, [third.entry_id])).toEqual([{ entry_kind: 'payout' }]);
  });

  it('is written by one worker where several run at once', async () => {
    for (let at = 0; at < 5; at += 1) await pay();
    let sum = 0;
    await until(async () => {
      const passes = await Promise.all([1, 2, 3, 4].map(() => linkEntries(db)));
      sum += passes.reduce((all, pass) => all + pass.linked, 0);
      return (await fresh()).length >= 10;
    });
    expect(sum).toBe(10);
    expect((await fresh()).length).toBe(10);
  });

  it('comes along a bounded number at a time, however many wait, of one transaction or of many', async () => {
    await pay();
    const [{ payment_id: id }] = await rows(
      'SELECT payment_id FROM ledger_entries ORDER BY id DESC',
    );
    const book = (entries: number) =>
      rows(
        `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account,
                                     amount, currency, effective_at)
         SELECT $1, $2, payonce_uuid_v7(), 'payout', 'bank', 'processor_clearing', 1, 'myr', payonce_now()
           FROM generate_series(1, $3::int)`,
        [system.account.id, id, entries],
      );
    for (const entries of [7, 1, 30, 2]) await book(entries);
    const few = { linksMax: 5, lookedAtMax: 6 };
    await until(async () => {
      const { linked: count } = await linkEntries(db, few);
      expect(count).toBeLessThanOrEqual(5);
      return (await fresh()).length === 42;
    });
    const ordered = await rows(`SELECT c.entry_id FROM ledger_chain c
        JOIN ledger_entries e ON e.account_id = c.account_id AND e.id = c.entry_id
       ORDER BY c.shard, e.recorded_xid, e.account_id, e.id`);
    expect((await chain()).map(({ entry_id: one }) => one)).toEqual(
      ordered.map(({ entry_id: one }) => one),
    );
  });

  it('does not adopt an entry that was put in front of its position', async () => {
    await pay();
    await linked(2);
    await rows(`INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account,
                                            amount, currency, effective_at, recorded_xid)
                SELECT account_id, payment_id, payonce_uuid_v7(), 'payout', 'bank', 'processor_clearing', 1, currency,
                       effective_at, recorded_xid
                  FROM ledger_entries WHERE entry_kind = 'charge' ORDER BY id LIMIT 1`);
    await pay();
    await linked(4);
    expect(await unlinked()).toMatchObject([{ entry_kind: 'payout' }]);
  });

  it('is signed once a minute, by one worker, for whoever has the key', async () => {
    const { signer, verifiers } = system.core.config.ledgerSigningKeys;
    const sign = () => signCheckpoints(db, signer!);
    await pay();
    await linked(2);
    await sign();
    await system.advance(60_000);
    const signed = (await Promise.all([sign(), sign()])).flat();
    signed.sort((one, other) => one.shard - other.shard);
    const links = await chain();
    const shards = [...new Set(links.map(({ shard }) => shard))];
    expect(signed.map(({ shard }) => shard)).toEqual(shards);
    for (const one of signed) {
      const last = links.findLast(({ shard }) => shard === one.shard);
      expect(one).toMatchObject({
        sequence: last.sequence,
        hash: last.hash.toString('hex'),
        signing_key: signer!.name,
      });
    }
    expect(await sign()).toEqual([]);
    const written = await rows(
      'SELECT *, signed_at::text AS signed_at FROM ledger_checkpoints ORDER BY minute',
    );
    expect(written.length).toBeGreaterThanOrEqual(2 * shards.length);
    const key = verifiers.get(signer!.name)!;
    for (const row of written) {
      expect(isSignedBy(key, row, row.signature)).toBe(true);
      expect(isSignedBy(key, { ...row, sequence: '3' }, row.signature)).toBe(false);
      expect(isSignedBy(key, { ...row, position_xid: '1' }, row.signature)).toBe(false);
    }
  });

  it('ends a statement in front of a transaction that still runs: whoever goes on misses nothing', async () => {
    const client = await system.newClient();
    const { json: payment } = await client.pay({ amount: 2500, currency: 'myr' });
    const account = '/v1/ledger/accounts/merchant_payable';
    const lines = async (query: string): Promise<any[]> =>
      (await client.get(`${account}/statement${query}`)).json.data;
    await until(async () => (await lines('')).length === 1);
    const behind = `?after=${(await lines(''))[0].id}`;
    const csv = async () =>
      (await client.get(`${account}/statement${behind}&format=csv`)).text
        .split('\r\n')
        .slice(1, -1);
    const slow = await sessions.open(system.database.url);
    await slow.query('SET idle_in_transaction_session_timeout = 0');
    await slow.query('BEGIN');
    const { rows: late } = await slow.query(BOOK, [payment.id, 30]);
    const early = await rows(BOOK, [payment.id, 7]);
    expect(await lines(behind)).toEqual([]);
    expect(await csv()).toEqual([]);
    const { json } = await client.get(`${account}/balance`);
    expect(json.data, 'a balance waits for nobody').toMatchObject([{ balance: '2507' }]);
    await slow.query('COMMIT');
    await until(async () => (await lines(behind)).length === 2);
    expect(await lines(behind)).toMatchObject([
      { id: late[0].id, balance: '2530' },
      { id: early[0].id, balance: '2537' },
    ]);
    expect((await csv()).map((row) => row.split(',').at(-1))).toEqual(['2530', '2537']);
  });
});

function sha256(...parts: Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

/** The binary form of a row, by PostgreSQL's protocol: how many columns; then type, length and bytes of each. */
function contentOf(link: any, entry: any): Buffer {
  const uuid = (text: string) => [2950, Buffer.from(text.replaceAll('-', ''), 'hex')] as const;
  const text = (value: string) => [25, Buffer.from(value)] as const;
  const big = (value: bigint, type = 20) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(value);
    return [type, bytes] as const;
  };
  const columns = [
    [21, Buffer.from([0, link.shard])] as const,
    big(BigInt(link.sequence)),
    ...[entry.id, entry.account_id, entry.payment_id, entry.source_id].map(uuid),
    ...[entry.entry_kind, entry.debit_account, entry.credit_account].map(text),
    big(BigInt(entry.amount)),
    text(entry.currency),
    big(microsecondsSince2000(entry.effective), 1184),
    big(microsecondsSince2000(entry.recorded), 1184),
    big(BigInt(entry.recorded_xid), 5069),
  ];
  const numbers = (...values: number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, at) => bytes.writeInt32BE(value, 4 * at));
    return bytes;
  };
  return Buffer.concat([
    numbers(columns.length),
    ...columns.flatMap(([type, bytes]) => [numbers(type, bytes.length), bytes]),
  ]);
}

function microsecondsSince2000(text: string): bigint {
  const [, whole = '', fraction = ''] = /^(.{19})(?:\.(\d+))?\+00$/.exec(text) ?? [];
  const ms = Date.parse(`${whole.replace(' ', 'T')}Z`) - Date.UTC(2000, 0, 1);
  return BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
