import { createHash } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, money, NEXT_DAY, SettlementWorld } from './settlement-world.js';

/** The report of a day: what it says of each movement, when, and that it always says the same. */
let world: SettlementWorld;

beforeEach(async () => {
  world = await SettlementWorld.open();
});

afterEach(() => world.close());

describe('a line', () => {
  test('has the columns of an itemised report', async () => {
    const id = await world.charged('intent-1');
    const { text, headers } = await world.report();
    const charge = (await world.client.get(`/v1/payment_intents/${id}`)).json.latest_charge;
    const { balance_transaction } = (await world.client.get(`/v1/charges/${charge}`)).json;
    expect(headers.get('content-type')).toMatch(/^text\/csv\b/);
    expect(text).toBe(
      'balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,' +
        'reporting_category,source_id,charge_id,payment_intent_id,automatic_payout_id,' +
        'payment_metadata[payonce_account],payment_metadata[payonce_intent]\n' +
        `${balance_transaction},2026-01-31 10:00:00,2026-01-31 10:00:00,myr,25.00,1.03,23.97,` +
        `charge,${charge},${charge},${id},,acc-1,intent-1\n`,
    );
  });

  test.each([
    ['jpy', '2500', '2500 103 2397'],
    ['kwd', '2500', '2.500 0.103 2.397'],
    ['usd', '2500', '25.00 1.03 23.97'],
    ['usd', '5', '0.05 0.00 0.05'],
    ['usd', '99999999', '999999.99 29000.30 970999.69'],
  ])('in %s of %s says %s', async (currency, amount, said) => {
    await world.charged('intent-1', { currency, amount });
    expect((await world.lines()).map(money)).toEqual([said]);
  });

  test('is written for each movement of money, and for no other', async () => {
    const authorized = await world.charged('intent-1', { capture_method: 'manual' });
    await world.client.post(`/v1/payment_intents/${authorized}/capture`, {
      amount_to_capture: '2000',
    });
    await world.charged('intent-2', { capture_method: 'manual' });
    await world.client.charge('pm_card_chargeDeclined', { intent: 'intent-3' });
    const refund = await world.refunded(authorized, 500);
    await world.happens('refund_failed', { refund });
    const disputed = await world.charged('intent-4');
    await world.happens('dispute_opened', { payment_intent: disputed });
    await world.happens('dispute_won', { payment_intent: disputed });
    const lost = await world.charged('intent-5');
    await world.happens('dispute_opened', { payment_intent: lost, amount: 3000 });
    await world.happens('dispute_lost', { payment_intent: lost });
    const lines = await world.lines();
    expect(lines.map((line) => [line['reporting_category'], money(line)])).toEqual([
      ['charge', '20.00 0.88 19.12'],
      ['refund', '-5.00 0.00 -5.00'],
      ['refund_failure', '5.00 0.00 5.00'],
      ['charge', '25.00 1.03 23.97'],
      ['dispute', '-25.00 15.00 -40.00'],
      ['dispute_reversal', '25.00 0.00 25.00'],
      ['charge', '25.00 1.03 23.97'],
      ['dispute', '-30.00 15.00 -45.00'],
    ]);
    expect(lines[1]?.['source_id']).toBe(refund);
    expect(lines.map((line) => line['payment_intent_id'])).toEqual(
      [authorized, disputed, lost].flatMap((id, n) => Array(n === 2 ? 2 : 3).fill(id)),
    );
    expect(lines.map((line) => line['payment_metadata[payonce_intent]']).slice(0, 3)).toEqual(
      Array(3).fill('intent-1'),
    );
    const ids = lines.map((line) => line['balance_transaction_id']);
    const listed = (await world.client.get('/v1/balance_transactions?limit=100')).json.data;
    expect(listed.map(({ id }: { id: string }) => id).toReversed()).toEqual(ids);
  });

  test('quotes what would break it', async () => {
    await world.charged('a "b",\nc');
    expect((await world.report()).text).toMatch(/,acc-1,"a ""b"",\nc"\n$/);
  });
});

describe('a day', () => {
  test('ends at midnight UTC, to the millisecond', async () => {
    world.at(`${DAY}T23:59:59.999Z`);
    const last = await world.charged('intent-1');
    world.at(`${NEXT_DAY}T00:00:00.000Z`);
    const first = await world.charged('intent-2');
    const intents = async (date: string) =>
      (await world.lines(date)).flatMap((line) => line['payment_intent_id'] || []);
    expect([await intents(DAY), await intents(NEXT_DAY)]).toEqual([[last], [first]]);
  });

  test('that is over has one payout a currency, which takes away the sum of its lines', async () => {
    const id = await world.charged('intent-1');
    await world.refunded(id, 500);
    await world.charged('intent-2', { currency: 'jpy' });
    const disputed = await world.charged('intent-3', { currency: 'usd' });
    await world.happens('dispute_opened', { payment_intent: disputed });
    expect((await world.lines()).map((line) => line['automatic_payout_id'])).toEqual(
      Array(5).fill(''),
    );
    world.at(`${NEXT_DAY}T00:00:00Z`);
    const lines = await world.lines();
    const payouts = lines.slice(5);
    expect(payouts.map((line) => `${line['currency']} ${money(line)}`)).toEqual([
      'jpy -2397 0 -2397',
      'myr -18.97 0.00 -18.97',
      'usd 16.03 0.00 16.03',
    ]);
    expect(payouts[0]).toMatchObject({
      created_utc: '2026-01-31 23:59:59',
      reporting_category: 'payout',
      charge_id: '',
      payment_intent_id: '',
    });
    for (const line of lines) {
      const payout = payouts.find(({ currency }) => currency === line['currency']);
      expect(line['automatic_payout_id']).toBe(payout?.['source_id']);
    }
    expect(new Set(payouts.map((line) => line['source_id'])).size).toBe(3);
    expect(await world.lines(NEXT_DAY)).toEqual([]);
  });

  test('has its payouts in the book once, when its report was first asked for', async () => {
    await world.charged('intent-1');
    const before = await world.client.book();
    world.at(`${NEXT_DAY}T00:00:00Z`);
    expect(await world.client.book()).toEqual(before);
    await Promise.all([world.report(), world.report(), world.report(DAY, '&part=summary')]);
    await world.stop();
    await world.start();
    const [payout] = (await world.lines()).slice(1);
    expect((await world.client.book()).slice(before.length)).toEqual([
      {
        seq: 3,
        at: `${NEXT_DAY}T00:00:00.000Z`,
        operation: 'payout',
        idempotency_key: null,
        id: payout?.['source_id'],
        parent: null,
        amount: 2397,
        currency: 'myr',
        status: 'paid',
        metadata: {},
      },
    ]);
    const path = `/v1/balance_transactions/${payout?.['balance_transaction_id']}`;
    const transaction = (await world.client.get(path)).json;
    expect(transaction).toMatchObject({ type: 'payout', amount: -2397, fee: 0, net: -2397 });
  });

  test('without any movement is a header alone', async () => {
    world.at(`${NEXT_DAY}T10:00:00Z`);
    expect((await world.report()).text).toMatch(/^balance_transaction_id,[^\n]*\n$/);
    const summary = (await world.report(DAY, '&part=summary')).json;
    expect(summary).toMatchObject({ lines: 0, totals: {} });
    expect(await world.client.book()).toEqual([]);
  });

  test.each([
    ['', 'date'],
    ['?date=31.01.2026', 'date'],
    ['?date=2026-02-30', 'date'],
    [`?date=${NEXT_DAY}`, 'date'],
    [`?date=${DAY}&date=${DAY}`, 'date'],
    [`?date=${DAY}&part=lines`, 'part'],
    [`?date=${DAY}&currency=myr`, 'currency'],
  ])('asked for as %s is refused, and %s is named', async (query, param) => {
    const { status, json } = await world.client.get(`/_control/settlement${query}`);
    expect([status, json.error.param]).toEqual([400, param]);
    expect(json.error.message).toContain(param);
  });
});

test('the same book gives the same bytes, by whichever process', async () => {
  const id = await world.charged('intent-1');
  await world.refunded(id, 100);
  await world.stop();
  const copy = join(world.folder, 'copy.jsonl');
  await copyFile(world.bookFile, copy);
  world.at(`${NEXT_DAY}T10:00:00Z`);
  await world.start();
  const text = (await world.report()).text;
  expect((await world.report()).text).toBe(text);
  await world.stop();
  world.at(`${NEXT_DAY}T22:00:00Z`);
  await world.start(copy);
  expect((await world.report()).text).toBe(text);
});

test('a summary tells how many lines, which bytes and what sums the report has', async () => {
  const id = await world.charged('intent-1');
  await world.refunded(id, 500);
  await world.charged('intent-2', { currency: 'jpy' });
  const open = (await world.report(DAY, '&part=summary')).json;
  expect(open).toMatchObject({
    lines: 3,
    totals: {
      jpy: { gross: '2500', fee: '103', net: '2397' },
      myr: { gross: '20.00', fee: '1.03', net: '18.97' },
    },
  });
  world.at(`${NEXT_DAY}T00:00:00Z`);
  const { text } = await world.report();
  expect((await world.report(DAY, '&part=summary')).json).toEqual({
    lines: 5,
    sha256: createHash('sha256').update(text).digest('hex'),
    totals: {
      jpy: { gross: '103', fee: '103', net: '0' },
      myr: { gross: '1.03', fee: '1.03', net: '0.00' },
    },
  });
});

describe('the table of fees', () => {
  const FEES = {
    rows: [
      { category: 'charge', currency: 'jpy', basis_points: 360, fixed: 0 },
      { category: 'charge', currency: null, basis_points: 100, fixed: 20 },
      { category: 'refund', currency: 'myr', basis_points: 0, fixed: 5 },
    ],
  };

  test('holds for what is booked from then on, also after a restart', async () => {
    await world.charged('intent-1');
    expect((await world.client.control('PUT', 'fees', FEES)).json).toEqual(FEES);
    await world.stop();
    await world.start();
    expect((await world.client.control('GET', 'fees')).json).toEqual(FEES);
    const id = await world.charged('intent-2');
    await world.charged('intent-3', { currency: 'jpy' });
    await world.refunded(id, 300);
    await world.happens('dispute_opened', { payment_intent: id, amount: 100 });
    await world.client.control('DELETE', 'fees');
    await world.charged('intent-4');
    expect((await world.lines()).map(money)).toEqual([
      '25.00 1.03 23.97',
      '25.00 0.45 24.55',
      '2500 90 2410',
      '-3.00 0.05 -3.05',
      '-1.00 0.00 -1.00',
      '25.00 1.03 23.97',
    ]);
    const moved = (await world.client.book())
      .slice(6)
      .map(({ operation, amount }) => [operation, amount]);
    expect(moved).toEqual([
      ['refund', 300],
      ['fee', 5],
      ['dispute', 100],
      ['charge', 2500],
      ['fee', 103],
    ]);
  });

  test.each([
    [{}, 'rows'],
    [{ rows: {} }, 'rows'],
    [{ rows: [1] }, 'rows'],
    [{ rows: [{ category: 'payout' }] }, 'rows'],
    [{ rows: [{ category: 'charge', currency: 'xxx' }] }, 'rows'],
    [{ rows: [{ category: 'charge', basis_points: 10_001 }] }, 'rows'],
    [{ rows: [{ category: 'charge', fixed: 0.5 }] }, 'rows'],
    [{ rows: [{ category: 'charge', fixed: -1 }] }, 'rows'],
    [{ rows: [{ category: 'charge', percent: 3 }] }, 'rows'],
    [{ rows: [{ category: 'charge' }, { category: 'charge', fixed: 3 }] }, 'rows'],
    [{ rows: [], more: 1 }, 'more'],
  ])('%j is refused and changes nothing', async (body, param) => {
    const before = (await world.client.control('GET', 'fees')).text;
    const { status, json } = await world.client.control('PUT', 'fees', body);
    expect([status, json.error.param]).toEqual([400, param]);
    expect((await world.client.control('GET', 'fees')).text).toBe(before);
  });
});
