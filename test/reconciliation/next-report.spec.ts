import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS, ReportWorld, dayAfter, openOnes } from './report-world.js';

let world: ReportWorld;
beforeEach(async () => {
  world = await ReportWorld.open();
});
afterEach(() => world?.close());

/** Two days, and one movement of the first that only the report of the second has: what is open then is one break. */
it('a line that stands in the next report is a timing, and missing no more once its own day is read again', async () => {
  const { system, date } = world;
  await system.client.pay({ amount: 4_200 });
  await system.client.pay({ amount: 4_300 });
  await system.advance(8 * HOUR_MS);
  await system.client.pay({ amount: 4_400 });
  await system.advance(24 * HOUR_MS);
  const next = dayAfter(date);
  const order = { date, kind: 'timing', variant: 'next_report', count: 1, seed: 11 };
  const { status, json, text } = await system.mockClient.control('POST', 'anomalies', order);
  expect(status, text).toBe(200);
  const [planted] = json.planted;
  const first = await world.reconcile({ date });
  const second = await world.reconcile({ date: next });
  expect(await open(), 'closed by the report that has it').toEqual([`timing ${planted.reference}`]);
  const again = await world.reconcile({ date });
  expect({ first: openOnes(first), second: openOnes(second), again: openOnes(again) }).toEqual({
    first: [`missing_there ${planted.reference}`],
    second: [`timing ${planted.reference}`],
    again: [`timing ${planted.reference}`],
  });
  expect(await open()).toEqual([`timing ${planted.reference}`]);
});

/** The first day's report lacks one line; that of the second day has another line of the same payment. */
describe('what is missing stays missing', () => {
  it('when a later report tells of the refund of a charge', async () => {
    const { id, processor } = await pay();
    await dayEnds();
    await reconcileWithout('charge', processor.id);
    const missing = [`missing_there ${processor.id}`];
    expect(await open(processor.id)).toEqual(missing);
    await refund(id);
    await dayEnds();
    await world.reconcile({ date: dayAfter(world.date) });
    expect(await open(processor.id)).toEqual(missing);
  });

  it('when a later report tells that a dispute was won', async () => {
    const { processor } = await pay();
    const about = { payment_intent: processor.id };
    await happens('dispute_opened', about);
    await world.reconcile({ date: world.date }); // records it on its day
    await dayEnds();
    await reconcileWithout('dispute', processor.id);
    const missing = await openOf('missing_there');
    expect(missing).toHaveLength(1);
    await happens('dispute_won', about);
    await dayEnds();
    await world.reconcile({ date: dayAfter(world.date) });
    expect(await openOf('missing_there')).toEqual(missing);
  });

  it('when a later report tells that a refund failed', async () => {
    const { id, processor } = await pay();
    const made = await refund(id);
    await dayEnds();
    await reconcileWithout('refund', processor.id);
    expect(await open(made)).toEqual([`refund ${made}`]);
    await happens('refund_failed', { refund: made });
    await dayEnds();
    await world.reconcile({ date: dayAfter(world.date) });
    expect(await open(made)).toEqual([`refund ${made}`]);
  });

  async function pay(): Promise<{ id: string; processor: { id: string } }> {
    return (await world.system.client.pay({ amount: 5_100 })).json;
  }

  /** Returns its name at the processor. */
  async function refund(payment: string): Promise<string> {
    const { client, owner } = world.system;
    const { json } = await client.post(`/v1/payments/${payment}/refunds`, { amount: 100 });
    const { rows } = await owner.query('SELECT processor_id FROM refunds WHERE id = $1', [json.id]);
    return rows[0].processor_id;
  }

  async function happens(kind: string, about: object): Promise<void> {
    const { mockClient } = world.system;
    const { status, text } = await mockClient.control('POST', 'events', { kind, ...about });
    expect(status, text).toBe(200);
  }

  function dayEnds(): Promise<unknown> {
    return world.system.advance(24 * HOUR_MS);
  }

  /** Reconciles the first day by its report without one line of a payment. */
  async function reconcileWithout(category: string, payment: string): Promise<void> {
    const lines = (await world.report()).split('\n');
    const left = lines.filter(
      (line) => !(line.includes(payment) && line.includes(`,${category},`)),
    );
    expect(left.length).toBe(lines.length - 1);
    await world.reconcile({ date: world.date, file: world.file('short.csv', left.join('\n')) });
  }
});

async function open(reference?: string): Promise<string[]> {
  const { rows } = await world.system.owner.query(
    `SELECT kind || ' ' || reference AS found
       FROM breaks
      WHERE status <> 'closed' AND reference = coalesce($1, reference)`,
    [reference],
  );
  return rows.map(({ found }) => found);
}

async function openOf(kind: string): Promise<string[]> {
  return (await open()).filter((found) => found.startsWith(`${kind} `));
}
