import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';
import { applyAll, happens } from '../webhooks/webhook-world.js';

const DAY_MS = 24 * 3_600_000;

describe('the ledger, as it is read', () => {
  let system: System;
  let ann: ApiClient;
  /** Between the first payment and the rest. */
  let between: string;
  let before: string;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true, webhooks: true });
    ann = await system.newOperator('Ann');
    before = await now();
    await pay({ amount: 2500, order_id: '=1+1', payment_method: 'pm_123' });
    await system.advance(DAY_MS);
    between = await now();
    await system.advance(DAY_MS);
    const refunded = await pay({ amount: 4000 });
    await system.client.post(`/v1/payments/${refunded.id}/refunds`, { amount: 900 });
    await pay({ amount: 1000, currency: 'usd' });
    const disputed = await pay({ amount: 700 });
    await happens(system, 'dispute_opened', { payment_intent: disputed.processor.id });
    await applyAll(system);
    // Booked today for yesterday: as if the news had come late.
    await system.owner.query(
      `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account,
                                   amount, currency, effective_at)
       SELECT account_id, payment_id, payment_id, 'payout', 'bank', 'processor_clearing', 5, currency, $1
         FROM ledger_entries WHERE entry_kind = 'charge' ORDER BY id LIMIT 1`,
      [between],
    );
    await untilAllOfItEnded();
  });
  afterAll(() => system.close());

  async function now(): Promise<string> {
    const { rows } = await system.owner.query('SELECT payonce_now() AS at');
    return rows[0].at.toISOString();
  }

  /** Transactions of neighbours on the same server are older than ours now and then. A statement waits for them. */
  const untilAllOfItEnded = () =>
    until(async () => {
      const { rows } = await system.owner.query(
        `SELECT coalesce(max(recorded_xid) < pg_snapshot_xmin(pg_current_snapshot()), true) AS all FROM ledger_entries`,
      );
      return rows[0].all;
    });

  async function pay(body: object) {
    const { status, json, text } = await system.client.pay(body);
    expect(status, text).toBe(201);
    return json;
  }

  async function read(path: string, client = system.client): Promise<any> {
    const { status, json, text } = await client.get(`/v1/ledger/${path}`);
    expect(status, text).toBe(200);
    return json;
  }

  const inMyr = ({ data }: any) => data.find((one: any) => one.currency === 'myr');
  const account = (trial: any, name: string) =>
    inMyr(trial).accounts.find((one: any) => one.name === name);

  describe('trial balance', () => {
    it('has equal debits and credits in each currency, those of the entries', async () => {
      const trial = await read('trial-balance');
      const { rows } = await system.owner.query(
        `SELECT currency, sum(amount)::text AS total FROM ledger_entries GROUP BY currency ORDER BY currency`,
      );
      expect(trial).toMatchObject({ object: 'trial_balance', basis: 'effective' });
      expect(
        trial.data.map(({ currency, debits, credits }: any) => [currency, debits, credits]),
      ).toEqual(rows.map(({ currency, total }) => [currency, total, total]));
    });

    it('shows refunds and disputes as parts of what we owe the merchant', async () => {
      const trial = await read('trial-balance');
      expect(account(trial, 'merchant_payable')).toMatchObject({
        type: 'liability',
        part_of: null,
        credits: '7200',
        debits: '1600',
        balance: '5600',
      });
      const part = { part_of: 'merchant_payable', credits: '0' };
      expect(account(trial, 'refunds')).toMatchObject({ ...part, balance: '-900', entries: 1 });
      expect(account(trial, 'disputes')).toMatchObject({ ...part, balance: '-700', entries: 1 });
      expect(account(trial, 'bank')).toMatchObject({ type: 'asset', balance: '5', entries: 1 });
    });

    it('goes back to an instant, which counts itself', async () => {
      const { rows } = await system.owner.query(
        'SELECT min(effective_at) AS at FROM ledger_entries',
      );
      const first = rows[0].at.toISOString();
      for (const at of [between, first]) {
        const trial = await read(`trial-balance?as_of=${at}`);
        expect(trial.as_of).toBe(at);
        expect(account(trial, 'merchant_payable').balance).toBe('2500');
      }
      expect((await read(`trial-balance?as_of=${before}`)).data).toEqual([]);
    });

    it('tells what had happened from what was booked', async () => {
      const bank = async (basis: string) =>
        account(await read(`trial-balance?as_of=${between}&basis=${basis}`), 'bank').balance;
      expect([await bank('effective'), await bank('recorded')]).toEqual(['5', '0']);
    });

    it.each(['recorded', 'effective'])('as of an entry has it, by when it is %s', async (basis) => {
      const { data } = await read('accounts/merchant_payable/statement?limit=1');
      const trial = await read(`trial-balance?as_of=${data[0][`${basis}_at`]}&basis=${basis}`);
      expect(account(trial, 'merchant_payable').balance).toBe('2500');
    });

    it('is of every account of the mode for an operator, or of one', async () => {
      const other = await system.newClient();
      await other.pay({ amount: 1 });
      const all = await read('trial-balance', ann);
      expect(account(all, 'merchant_payable').balance).toBe('5601');
      const one = await read(`trial-balance?account_id=${system.account.id}`, ann);
      expect(one.data).toEqual((await read('trial-balance')).data);
      const elsewhere = await system.newOperator('Ann', 'live');
      expect((await read('trial-balance', elsewhere)).data).toEqual([]);
      const theirs = `trial-balance?account_id=${system.account.id}`;
      expect((await read(theirs, elsewhere)).data).toEqual([]);
      expect((await read('trial-balance', await system.newClient())).data).toEqual([]);
    });
  });

  it('lists the chart with what stands on each account', async () => {
    const { data, next } = await read('accounts');
    expect(next).toBeNull();
    expect(data.map(({ name }: any) => name)).toEqual([
      'merchant_payable',
      'refunds',
      'disputes',
      'processor_clearing',
      'processor_fees',
      'bank',
      'suspense',
    ]);
    expect(data[0]).toMatchObject({ object: 'ledger_account', normal_side: 'credit' });
    expect(data[0].balances.map(({ currency }: any) => currency)).toEqual(['myr', 'usd']);
    expect(data[6]).toMatchObject({ name: 'suspense', balances: [] });
  });

  it('reads the balance of one account, or of a part', async () => {
    expect(await read('accounts/merchant_payable/balance')).toMatchObject({
      object: 'ledger_balance',
      name: 'merchant_payable',
      data: [
        { currency: 'myr', balance: '5600' },
        { currency: 'usd', balance: '1000' },
      ],
    });
    const refunds = await read(`accounts/refunds/balance?as_of=${between}`);
    expect(refunds).toMatchObject({ part_of: 'merchant_payable', data: [] });
  });

  describe('statement', () => {
    const path = 'accounts/merchant_payable/statement';

    it('has each entry with the balance after it, oldest first, by currency', async () => {
      const { data, next } = await read(path);
      expect(next).toBeNull();
      expect(
        data.map((line: any) => [
          line.entry_kind,
          line.currency,
          line.debit,
          line.credit,
          line.balance,
        ]),
      ).toEqual([
        ['charge', 'myr', null, '2500', '2500'],
        ['charge', 'myr', null, '4000', '6500'],
        ['refund', 'myr', '900', null, '5600'],
        ['charge', 'usd', null, '1000', '1000'],
        ['charge', 'myr', null, '700', '6300'],
        ['dispute', 'myr', '700', null, '5600'],
      ]);
      expect(data[0]).toMatchObject({ order_id: '=1+1', counterpart: 'processor_clearing' });
    });

    it('has the same lines in pages of any size', async () => {
      const whole = (await read(path)).data;
      for (const limit of [1, 2, 5]) {
        const found = [];
        let after = '';
        for (let page = 0; page < 10; page += 1) {
          const { data, next } = await read(`${path}?limit=${limit}${after}`);
          found.push(...data);
          after = `&after=${next}`;
          if (next === null) break;
        }
        expect(found).toEqual(whole);
      }
    });

    it('keeps its balances where it is asked for one currency or some time', async () => {
      const whole = (await read(path)).data;
      const usd = (await read(`${path}?currency=usd`)).data;
      expect(usd).toEqual(whole.filter(({ currency }: any) => currency === 'usd'));
      expect((await read(`${path}?created_after=${between}`)).data).toEqual(whole.slice(1));
      expect((await read(`${path}?created_before=${between}`)).data).toEqual(whole.slice(0, 1));
    });

    it('of a part has its entries alone, and their sum', async () => {
      const { data } = await read('accounts/refunds/statement');
      expect(data).toMatchObject([{ entry_kind: 'refund', debit: '900', balance: '-900' }]);
    });

    it('is a file for spreadsheets, in which nothing is a formula', async () => {
      const { headers, text } = await system.client.get(`/v1/ledger/${path}?format=csv&limit=3`);
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
      const [head, first, ...rest] = text.split('\r\n');
      expect(head).toBe(
        'recorded_at,effective_at,id,entry_kind,payment_id,source_id,order_id,counterpart,currency,debit,credit,balance',
      );
      expect(first).toContain(",'=1+1,processor_clearing,myr,,2500,2500");
      expect(rest.length).toBe(3);
      const [, address = ''] = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
      const second = await system.client.get(address);
      expect(second.text.split('\r\n').length).toBe(5);
      expect(second.headers.get('link')).toBeNull();
    });

    it('is of one account: an operator says which', async () => {
      const refused = await ann.get(`/v1/ledger/${path}`);
      expect(refused).toMatchObject({
        status: 400,
        json: { code: 'validation_failed', param: 'account_id' },
      });
      const mine = await read(`${path}?account_id=${system.account.id}`, ann);
      expect(mine).toEqual(await read(path));
      const elsewhere = await system.newOperator('Ann', 'live');
      expect(await read(`${path}?account_id=${system.account.id}`, elsewhere)).toEqual({
        data: [],
        next: null,
      });
      const other = await system.newClient();
      expect((await read(`${path}?after=${mine.data[0].id}`, other)).data).toEqual([]);
    });
  });

  it.each([
    ['trial-balance?as_of=yesterday', 'as_of'],
    ['trial-balance?basis=cash', 'basis'],
    ['trial-balance?basis=recorded&basis=effective', 'basis'],
    ['trial-balance?limit=1', 'limit'],
    ['accounts?as_of=2026-01-01T00:00:00Z', 'as_of'],
    ['accounts/bank/balance?currency=myr', 'currency'],
    ['accounts/bank/statement?format=xml', 'format'],
    ['accounts/bank/statement?currency=MYR', 'currency'],
    ['accounts/bank/statement?limit=101', 'limit'],
    ['accounts/bank/statement?after=first', 'after'],
    ['accounts/bank/statement?created_after=2026-02-30T00:00:00Z', 'created_after'],
    ['trial-balance?account_id=01a233e6-aba2-79be-9656-082ea888f483', 'account_id'],
  ])('refuses %s, naming %s', async (path, param) => {
    const { status, json } = await system.client.get(`/v1/ledger/${path}`);
    expect({ status, param: json.param }).toEqual({ status: 400, param });
  });

  it.each(['nobody', 'constructor', 'MERCHANT_PAYABLE'])('has no account %s', async (name) => {
    for (const what of ['balance', 'statement']) {
      const { status, json } = await system.client.get(`/v1/ledger/accounts/${name}/${what}`);
      expect({ status, code: json.code }).toEqual({ status: 404, code: 'not_found' });
    }
  });
});
