import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS, ReportWorld, dayAfter, openOnes } from './report-world.js';

/** What the processor paid out reaches the books once, of each payment, and only where both sides agree. */
describe('a payout', () => {
  let world: ReportWorld;
  beforeEach(async () => {
    world = await ReportWorld.open();
  });
  afterEach(() => world?.close());

  it('is booked of each payment, once, and leaves nothing of it at the processor', async () => {
    const { client, mockClient } = world.system;
    const paid = (await client.pay()).json;
    const refunded = (await client.pay({ amount: 9_000 })).json;
    await client.post(`/v1/payments/${refunded.id}/refunds`, { amount: 1_000 });
    const disputed = (await client.pay({ currency: 'usd' })).json;
    const about = { payment_intent: disputed.processor.id };
    await mockClient.control('POST', 'events', { kind: 'dispute_opened', ...about });
    await client.pay({ payment_method: 'pm_card_chargeDeclined' });
    await dayEnds();
    const before = await bank();
    const first = await world.reconcile();
    expect([before, first.paid_out, openOnes(first)]).toEqual([[], 3, []]);
    expect(await heldFor(paid.id, refunded.id, disputed.id)).toEqual([0, 0, 0]);
    expect(await bank(refunded.id)).toEqual([9_000 - 1_000 - (await feesOf(refunded.id))]);
    expect(await bank(disputed.id), 'took back the fee as well').toEqual([
      -(await feesOf(disputed.id)),
    ]);
    expect(await world.reconcile()).toMatchObject({ paid_out: 0, breaks: [] });
    expect(await inReport()).toEqual(await sumsOfBank());
  });

  it('of a later day takes back what was refunded since', async () => {
    const { client } = world.system;
    const { id } = (await client.pay()).json;
    await dayEnds();
    await world.reconcile();
    const net = 2_500 - (await feesOf(id));
    expect(await bank(id)).toEqual([net]);
    await client.post(`/v1/payments/${id}/refunds`, {});
    await world.system.advance(24 * HOUR_MS);
    expect(await world.reconcile({ date: dayAfter(world.date) })).toMatchObject({
      paid_out: 1,
      breaks: [],
    });
    expect(await bank(id)).toEqual([net, -2_500]);
  });

  it.each(['fee', 'amount'])('waits where the %s of a payment differs', async (kind) => {
    const { client } = world.system;
    for (const amount of [2_500, 3_000, 4_500]) await client.pay({ amount });
    await dayEnds();
    const reference = await plant(kind);
    const first = await world.reconcile();
    expect([first.paid_out, openOnes(first)]).toEqual([2, [`${kind} ${reference}`]]);
    expect(await paidOut(reference)).toBe(false);
    await asItIs();
    expect(await world.reconcile()).toMatchObject({ paid_out: 1 });
    expect(await inReport()).toEqual(await sumsOfBank());
  });

  it('that is not the sum of its lines is not booked', async () => {
    await world.system.client.pay();
    await dayEnds();
    await plant('payout_sum');
    expect(await world.reconcile()).toMatchObject({
      paid_out: 0,
      breaks: [{ kind: 'payout_sum' }],
    });
    expect(await bank()).toEqual([]);
  });

  it('that is booked, and that a corrected report tells otherwise, is a break', async () => {
    const { client } = world.system;
    const [one] = [(await client.pay()).json, await client.pay({ amount: 3_000 })];
    await client.post(`/v1/payments/${one.id}/refunds`, { amount: 700 });
    await dayEnds();
    expect(await world.reconcile()).toMatchObject({ paid_out: 2, breaks: [] });
    const booked = await sumsOfBank();
    // The refund belongs to a later payout after all, so that this one paid more.
    const corrected = (await world.report())
      .split('\n')
      .map((line) => (line.includes(',refund,') ? line.replace(/,po_[a-z0-9]+/, ',') : line))
      .map((line) => (line.includes(',payout,') ? line.replaceAll(...more(7)) : line));
    const { paid_out: again, breaks } = await world.reconcile({
      file: world.file('corrected.csv', corrected.join('\n')),
    });
    expect([again, breaks]).toMatchObject([
      0,
      [
        {
          kind: 'payout_sum',
          ours: { book: 'ledger', amount: `${2_500 - 700 - (await feesOf(one.id))}` },
          theirs: { book: 'report', amount: `${2_500 - (await feesOf(one.id))}` },
        },
      ],
    ]);
    expect(await sumsOfBank(), 'what is booked stays').toEqual(booked);
    expect(openOnes(await world.reconcile())).toEqual([]);
  });

  describe('that a corrected report', () => {
    const corrected = async (change: (lines: string[]) => string[]) =>
      world.reconcile({
        file: world.file('corrected.csv', change((await world.report()).split('\n')).join('\n')),
      });
    const net = async (id: string) => `${2_500 - (await feesOf(id))}`;
    let id: string;
    beforeEach(async () => {
      ({ id } = (await world.system.client.pay()).json);
      await dayEnds();
      expect(await world.reconcile()).toMatchObject({ paid_out: 1, breaks: [] });
    });

    it('calls by another name is not booked once more', async () => {
      const booked = await sumsOfBank();
      const { paid_out: again, breaks } = await corrected((lines) =>
        lines.map((line) => line.replace(/,po_[A-Za-z0-9]+/g, ',po_Other')),
      );
      expect([again, breaks]).toMatchObject([
        0,
        [{ kind: 'payout_sum', ours: { amount: await net(id) }, theirs: { amount: '0' } }],
      ]);
      expect(await sumsOfBank(), 'what is booked stays').toEqual(booked);
    });

    it('no longer has is a break', async () => {
      const { paid_out: again, breaks } = await corrected((lines) =>
        lines.filter((line) => !line.includes(',payout,')),
      );
      expect([again, breaks]).toMatchObject([0, [{ kind: 'payout_sum' }]]);
      expect(openOnes(await world.reconcile())).toEqual([]);
    });
  });

  it('that is the sum of its lines only across currencies is not booked', async () => {
    const { client } = world.system;
    for (const currency of ['myr', 'usd']) await client.pay({ currency });
    await dayEnds();
    // One payout pays in one currency what stands in the report as two.
    const [header, ...lines] = (await world.report()).trim().split('\n');
    const id = /po_[A-Za-z0-9]+/.exec(lines.join('\n'))![0];
    const mixed = lines
      .filter((line) => !line.includes(',payout,') || line.includes(',myr,'))
      .map((line) => line.replaceAll(/po_[A-Za-z0-9]+/g, id))
      .map((line) =>
        line.includes(',payout,')
          ? line.replaceAll(/-\d+\.\d\d/g, (text: string) => (Number(text) * 2).toFixed(2))
          : line,
      );
    const { paid_out: booked, breaks } = await world.reconcile({
      file: world.file('mixed.csv', [header, ...mixed].join('\n')),
    });
    expect([booked, breaks]).toMatchObject([0, [{ kind: 'payout_sum', reference: id }]]);
  });

  it('is not booked in a dry run', async () => {
    await world.system.client.pay();
    await dayEnds();
    expect(await world.reconcile({ isDryRun: true })).toMatchObject({ paid_out: 0, breaks: [] });
    expect(await bank()).toEqual([]);
  });

  const dayEnds = () => world.system.advance(8 * HOUR_MS);

  /** For `replaceAll`: a negative amount, by that many major units more so. */
  const more = (by: number) =>
    [/-\d+\.\d\d/g, (text: string) => (Number(text) - by).toFixed(2)] as const;

  async function plant(kind: string): Promise<string> {
    const order = { date: world.date, kind, count: 1, seed: 11 };
    const { json, text, status } = await world.system.mockClient.control(
      'POST',
      'anomalies',
      order,
    );
    expect(status, text).toBe(200);
    return json.planted[0].reference;
  }

  const asItIs = () => world.system.mockClient.control('DELETE', `anomalies?date=${world.date}`);

  async function numbers(sql: string, values: unknown[] = []): Promise<number[]> {
    const { rows } = await world.system.owner.query(sql, values);
    return rows.map(({ n }) => Number(n));
  }

  /** What reached the bank, entry by entry. */
  const bank = (payment: string | null = null) =>
    numbers(
      `SELECT CASE debit_account WHEN 'bank' THEN amount ELSE -amount END AS n FROM ledger_entries
        WHERE 'bank' IN (debit_account, credit_account) AND payment_id = coalesce($1::uuid, payment_id)
        ORDER BY recorded_at`,
      [payment],
    );

  const heldFor = (...payments: string[]) =>
    numbers(
      `SELECT sum(CASE 'processor_clearing' WHEN debit_account THEN amount WHEN credit_account THEN -amount END) AS n
         FROM ledger_entries WHERE payment_id = ANY($1::uuid[]) GROUP BY payment_id`,
      [payments],
    );

  const feesOf = async (payment: string): Promise<number> =>
    (
      await numbers(
        `SELECT sum(amount) AS n FROM ledger_entries WHERE payment_id = $1 AND debit_account = 'processor_fees'`,
        [payment],
      )
    )[0]!;

  const paidOut = async (reference: string): Promise<boolean> =>
    (
      await numbers(
        `SELECT count(*) AS n FROM ledger_entries e JOIN payments p ON p.id = e.payment_id
          WHERE p.processor_id = $1 AND e.entry_kind LIKE 'payout%'`,
        [reference],
      )
    )[0] !== 0;

  const sumsOfBank = () =>
    numbers(
      `SELECT sum(CASE debit_account WHEN 'bank' THEN amount ELSE -amount END) AS n FROM ledger_entries
        WHERE 'bank' IN (debit_account, credit_account) GROUP BY currency ORDER BY currency`,
    );

  /** The payouts, as the report that is believed tells them. */
  const inReport = () =>
    numbers(
      `SELECT -gross AS n FROM report_lines l JOIN report_imports i ON i.id = l.import_id AND i.superseded_at IS NULL
        WHERE l.category = 'payout' ORDER BY l.currency`,
    );
});
